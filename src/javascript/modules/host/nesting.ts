/**
 * How deeply a text may nest when it is parsed: an estimate from its characters alone, for parsers that end the process when
 * they run out of stack. Errs towards too much; regular expressions and templates are read as if they were code.
 */

/**
 * Open brackets, `else` within each of them, and operators there since the last separator, at most. One pass.
 *
 * @example
 * nestingOf("f(1 + (2 + 3))"); // 4: two brackets, one operator in each
 */
export function nestingOf(text: string): number {
  /** Operators so far at each open bracket. */
  const runs: number[] = [0];
  /** `else` so far at each. */
  const elses: number[] = [0];
  let total = 0;
  let most = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
      case 0x27: // '
        i = endOfString(text, i);
        break;
      case 0x2f: // /
        if (text.startsWith("/*", i)) {
          const end = text.indexOf("*/", i + 2);
          if (end !== -1) i = end + 1;
          break;
        }
        if (text.startsWith("//", i)) {
          const end = text.indexOf("\n", i);
          i = end === -1 ? text.length : end - 1;
          break;
        }
        runs[runs.length - 1]++;
        total++;
        break;
      case 0x28: // (
      case 0x5b: // [
      case 0x7b: // {
        runs.push(0);
        elses.push(0);
        total++;
        break;
      case 0x29: // )
      case 0x5d: // ]
      case 0x7d: // }
        if (1 < runs.length) total -= runs.pop()! + elses.pop()! + 1;
        // A call or an index of what stands before it: a level of its own in a chain.
        if (text.charCodeAt(i) !== 0x7d) {
          runs[runs.length - 1]++;
          total++;
        }
        break;
      case 0x2c: // ,
      case 0x3b: // ;
        total -= runs[runs.length - 1];
        runs[runs.length - 1] = 0;
        break;
      case 0x21: // !
      case 0x25: // %
      case 0x26: // &
      case 0x2a: // *
      case 0x2b: // +
      case 0x2d: // -
      case 0x2e: // .
      case 0x3a: // :
      case 0x3c: // <
      case 0x3d: // =
      case 0x3e: // >
      case 0x3f: // ?
      case 0x5e: // ^
      case 0x60: // `
      case 0x7c: // |
      case 0x7e: // ~
        runs[runs.length - 1]++;
        total++;
        break;
      case 0x65: // else: no separator ends a chain of them
        if (text.startsWith("else", i)) {
          elses[elses.length - 1]++;
          total++;
        }
        break;
      default:
        break;
    }
    if (most < total) most = total;
  }
  return most;
}

/** The closing quote, or the end of the line. */
function endOfString(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === quote || code === 0x0a) return i;
  }
  return text.length;
}
