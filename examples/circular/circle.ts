import { Shape } from "./shapes.js";

export class Circle extends Shape {
  constructor(readonly radius: number) {
    super("circle");
  }
  override area(): number {
    return Math.PI * this.radius ** 2;
  }
}
