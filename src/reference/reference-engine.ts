import type { Engine } from "../engine.js";
export function referenceEngine(): Engine {
  throw new Error("pending");
}
