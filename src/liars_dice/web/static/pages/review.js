// A replay with the coach's verdict on each move.

import { open } from "./replay.js";

/** @type {import("../router.js").MakePage} */
export const page = ({ id }) => open(id, true);
