import { add, sum } from "./cart.js";

for (const price of globalThis.prices) {
  add(price);
}
console.log(sum());
