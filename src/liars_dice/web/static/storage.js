// What this browser stores. If storage is not available (blocked, or full), values last until the page is closed.

/** @type {Map<string, string>} what could not be stored */
const memory = new Map();

/** @returns {Storage | null} */
function disk() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @returns {string | null}
 */
export function load(key) {
  return memory.get(key) ?? disk()?.getItem(key) ?? null;
}

/**
 * @param {string} key
 * @param {string} value
 */
export function save(key, value) {
  memory.delete(key);
  try {
    const kept = disk();
    if (kept) kept.setItem(key, value);
    else memory.set(key, value);
  } catch {
    memory.set(key, value);
  }
}

/** @param {string} key */
export function drop(key) {
  memory.delete(key);
  disk()?.removeItem(key);
}
