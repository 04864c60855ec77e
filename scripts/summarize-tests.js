// Prints `N passed, N failed` from vitest's JSON report, with `, N skipped` if any. Exits 1 unless everything passed and
// the command that ran the tests (its exit status is the argument) succeeded.
import { readFileSync } from "node:fs";

const status = Number(process.argv[2] ?? 0);
let passed = 0;
let failed = 0;
let skipped = 0;
try {
  const report = JSON.parse(readFileSync("build/test-results.json", "utf8"));
  passed = report.numPassedTests;
  failed = report.numFailedTests;
  skipped = report.numPendingTests + report.numTodoTests;
  // A file that cannot be loaded has no tests to count.
  for (const file of report.testResults) {
    if (file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed")) failed++;
  }
} catch {
  // No report: the type checks, the linter or the build failed before any test ran.
}
if (status !== 0 && failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed${0 < skipped ? `, ${skipped} skipped` : ""}`);
process.exitCode = 0 < failed || passed === 0 ? 1 : 0;
