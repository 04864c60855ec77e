import { Circle } from "./circle.js";

export class Shape {
  constructor(readonly name: string) {}
  describe(): string {
    return `${this.name} of area ${this.area()}`;
  }
  area(): number {
    return 0;
  }
}

export const shapes = [new Shape("point"), new Circle(1)];
