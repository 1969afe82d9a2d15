// A replay with the coach's verdict beside each move.

import { open } from "./replay.js";

/** @type {import("../router.js").MakePage} */
export const page = ({ id }) => open(id, true);
