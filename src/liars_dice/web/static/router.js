// Which page an address shows. Each page is loaded when it is first opened.

import { OfflineError } from "./api.js";
import { busily, h, say } from "./dom.js";

/** @typedef {{ title: string, element: HTMLElement, leave?: () => void }} Page */
/** @typedef {(params: { id: string, query: URLSearchParams }) => Page | Promise<Page>} MakePage */

/** @type {[RegExp, () => Promise<{ page: MakePage }>][]} */
const ROUTES = [
  [/^\/$/, () => import("./pages/home.js")],
  [/^\/play$/, () => import("./pages/play.js")],
  [/^\/room\/([^/]+)$/, () => import("./pages/room.js")],
  [/^\/watch$/, () => import("./pages/watch.js")],
  [/^\/replays$/, () => import("./pages/replays.js")],
  [/^\/replay\/([^/]+)$/, () => import("./pages/replay.js")],
  [/^\/review\/([^/]+)$/, () => import("./pages/review.js")],
  [/^\/player$/, () => import("./pages/player.js")],
  [/^\/puzzles$/, () => import("./pages/puzzles.js")],
  [/^\/lab$/, () => import("./pages/lab.js")],
  [/^\/learn$/, () => import("./pages/learn.js")],
  [/^\/rules$/, () => import("./pages/rules.js")],
];

/** @type {Page | null} */
let current = null;
let visit = 0;
/** The address that is shown, without its hash. */
let shown = "";

/**
 * @param {string} address
 * @param {{ replace?: boolean }} [options]
 */
export function go(address, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  return show(true);
}

/** @param {boolean} moved whether the user came here from another page */
async function show(moved) {
  const mine = ++visit;
  shown = location.pathname + location.search;
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  const found = ROUTES.map(([path, load]) => ({ match: path.exec(location.pathname), load })).find(({ match }) => match);
  const loading = /** @type {HTMLElement} */ (document.getElementById("loading"));
  loading.hidden = false;
  let page;
  try {
    if (!found?.match) throw new Error("There is no such page.");
    const { page: make } = await found.load().catch(offlineInstead);
    page = await make({ id: decodeURIComponent(found.match[1] ?? ""), query: new URLSearchParams(location.search) });
  } catch (error) {
    page = error instanceof OfflineError ? offlinePage(error) : errorPage(error instanceof Error ? error.message : String(error));
  }
  if (mine === visit) loading.hidden = true;
  if (mine !== visit) {
    page.leave?.();
    return;
  }
  current?.leave?.();
  current = page;
  main.replaceChildren(page.element);
  document.title = `${page.title} · Liar’s Dice`;
  for (const link of document.querySelectorAll(".top nav a")) {
    const here = link.getAttribute("href") ?? "";
    if (location.pathname === here || (here === "/replays" && /^\/(replay|review)\//.test(location.pathname))) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (moved) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
    say(page.title);
  }
}

/**
 * What a browser says when it cannot load a module is for programmers.
 * @param {unknown} error
 * @returns {never}
 */
function offlineInstead(error) {
  throw error instanceof TypeError ? new OfflineError() : error;
}

/**
 * The page could not be loaded. It is tried again when the network is back, or when you say so.
 * @param {OfflineError} error
 * @returns {Page}
 */
function offlinePage(error) {
  const note = h("p", { class: "muted", role: "status" }, "Games wait for you: nothing is lost.");
  const retry = async () => {
    const there = await fetch(location.pathname, { method: "HEAD" }).catch(() => null);
    if (there) location.reload(); // not every browser loads a module again that it could not load once
    else note.textContent = "Still no connection.";
  };
  const again = h("button", { type: "button", class: "primary", onclick: () => busily(again, retry) }, "Try again");
  addEventListener("online", retry);
  return {
    title: "No connection",
    element: h("div", { class: "page narrow empty" }, h("h1", {}, "No connection"), h("p", { class: "error", role: "alert" }, error.message), note, h("p", {}, again)),
    leave: () => removeEventListener("online", retry),
  };
}

/**
 * @param {string} message
 * @returns {Page}
 */
function errorPage(message) {
  return {
    title: "Something went wrong",
    element: h("div", { class: "page narrow empty" }, h("h1", {}, "That did not work"), h("p", { class: "error", role: "alert" }, message), h("p", { class: "muted" }, "Check the address, or ask for the link again. Finished games are listed under Replays."), h("p", {}, h("a", { class: "button", href: "/" }, "Go to the home page"))),
  };
}

export function start() {
  addEventListener("popstate", () => {
    if (location.pathname + location.search !== shown) show(true); // a hash only moves within the page
  });
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target || link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    if (link.hash && link.pathname === location.pathname) {
      document.getElementById(link.hash.slice(1))?.focus();
      return;
    }
    go(link.pathname + link.search);
  });
  show(false);
}
