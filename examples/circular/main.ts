import { Shape } from "./shapes.js";

console.log(new Shape("plain").describe());
