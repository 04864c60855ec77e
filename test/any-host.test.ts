/** Which errors of the engine make the rules try the other one: that there is no kernel, and nothing else. */

import { expect, test } from "vitest";
import { KernelUnavailable } from "../src/analyze.js";
import { analyzeAnywhere } from "../src/check/any-host.js";

test.each([
  { what: "no kernel", error: new KernelUnavailable("forbidden"), engines: [undefined, "reference"] },
  { what: "a fault of the program", error: new RangeError("too large"), engines: [undefined] },
])("$what", ({ error, engines }) => {
  const tried: unknown[] = [];
  const analyze = () =>
    analyzeAnywhere({
      analyze(options) {
        tried.push(options?.engine);
        throw error;
      },
    });
  expect(analyze).toThrow(error);
  expect(tried).toEqual(engines);
});
