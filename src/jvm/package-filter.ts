/** Which classes are analysed, by patterns of names. */

/**
 * Whether a class (internal name) matches one of the patterns: `p.*` classes of package `p` alone, `p.**` those of the packages
 * below it too, `p.C` a class and those inside it; `*` and `**` by themselves are classes of no package, and all.
 *
 * @example
 * matchesPackage("org/foo/bar/Baz", ["org.foo.**"]); // true
 */
export function matchesPackage(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(name, pattern.replaceAll(".", "/")));
}

function matches(name: string, pattern: string): boolean {
  if (pattern === "**" || pattern.endsWith("/**")) return name.startsWith(pattern.slice(0, -2));
  if (pattern === "*" || pattern.endsWith("/*")) {
    const prefix = pattern.slice(0, -1);
    return name.startsWith(prefix) && !name.includes("/", prefix.length);
  }
  return name === pattern || name.startsWith(`${pattern}$`);
}
