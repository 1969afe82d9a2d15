// Elements in one line: h("p", { class: "note" }, "text").

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Props */

/**
 * @param {Element} element
 * @param {Props} props
 */
export function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name === "vars") {
      for (const [key, v] of Object.entries(/** @type {Record<string, string | number>} */ (value))) {
        /** @type {HTMLElement} */ (element).style.setProperty(`--${key}`, String(v)); // the only way that a strict CSP allows
      }
    } else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden" || name === "open") {
      /** @type {any} */ (element)[name] = value;
    } else if (value === null || value === undefined || value === false) {
      element.removeAttribute(name);
    } else if (element.getAttribute(name) !== String(value)) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * @param {Element} element
 * @param {(Child | Child[])[]} children
 */
function fill(element, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * An HTML element. `onclick` and its like are listeners, `vars` sets custom properties, the rest are attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  const { value, ...rest } = props;
  set(element, rest);
  fill(element, children);
  if (value !== undefined) set(element, { value }); // a select takes its value after its options
  return element;
}

/**
 * An SVG element.
 * @param {string} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function s(tag, props = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", tag));
  set(element, props);
  fill(element, children);
  return element;
}

/**
 * Draws a list anew. A select that had the focus passes it on to the one in its place, so that the arrow keys go on.
 * @param {Element} list
 * @param {Node[]} children
 */
export function redraw(list, children) {
  const selects = () => [...list.querySelectorAll("select")];
  const focused = selects().findIndex((one) => one === document.activeElement);
  list.replaceChildren(...children);
  selects()[focused]?.focus({ preventScroll: true });
}

/**
 * A field with its label.
 * @param {string} label
 * @param {Element} input
 * @param {string} [note]
 */
export function field(label, input, note) {
  return h("label", { class: "field" }, h("span", {}, label), input, note && h("small", {}, note));
}

/**
 * @param {[string, string][]} options value and text
 * @param {string} value
 * @param {(value: string) => void} onchange
 * @param {Props} [props]
 */
export function select(options, value, onchange, props = {}) {
  return h(
    "select",
    { ...props, value, onchange: (/** @type {Event} */ e) => onchange(/** @type {HTMLSelectElement} */ (e.target).value) },
    options.map(([key, text]) => h("option", { value: key }, text)),
  );
}

/**
 * A check box with its label.
 * @param {string} label
 * @param {boolean} checked
 * @param {(on: boolean) => void} onchange
 */
export function toggle(label, checked, onchange) {
  const box = h("input", {
    type: "checkbox",
    checked,
    onchange: (/** @type {Event} */ e) => onchange(/** @type {HTMLInputElement} */ (e.target).checked),
  });
  return h("label", { class: "toggle" }, box, label);
}

/**
 * Does something that takes a while. Until it is done the button shows it, and presses of it are ignored: three taps on a slow network do it once.
 * @param {HTMLElement} button
 * @param {() => Promise<unknown>} what
 */
export async function busily(button, what) {
  if (button.getAttribute("aria-busy") === "true") return;
  set(button, { "aria-busy": "true" });
  try {
    await what();
  } finally {
    set(button, { "aria-busy": null });
  }
}

/** Whether animations are allowed. */
export const moves = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Scrolls as little as needed to show something whole.
 * @param {Element} what
 */
export const bringIntoSight = (what) => what.scrollIntoView({ block: "nearest", behavior: moves() ? "smooth" : "auto" });

/**
 * Announces something to screen readers.
 * @param {string} text
 */
export function say(text) {
  const live = document.getElementById("live");
  if (live && text) live.textContent = text;
}
