// Loaded before a command (`node --require`): when it ends, its processor time and its peak of memory go to $PHLOEM_USAGE.
const { existsSync, readFileSync, writeFileSync } = require("node:fs");

process.on("exit", () => {
  const status = "/proc/self/status";
  const [, peak] = existsSync(status) ? (/^VmHWM:\s*(\d+)/m.exec(readFileSync(status, "utf8")) ?? []) : [];
  const { user, system } = process.cpuUsage();
  writeFileSync(
    process.env.PHLOEM_USAGE,
    JSON.stringify({
      cpu: (user + system) / 1000,
      wall: performance.now(),
      peak: 1024 * Number(peak ?? process.resourceUsage().maxRSS),
    }),
  );
});
