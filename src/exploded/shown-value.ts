/** How errors show a value that was got in place of another: text in quotes, lists with what they begin with. */

/** `value` in a few characters, whatever it is. */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(
        value.length <= MOST_CHARACTERS ? value : `${value.slice(0, MOST_CHARACTERS)}...`,
      );
    case "bigint":
      return `${value}n`;
    case "function":
      return "a function";
    case "object":
      if (value === null) return "null";
      if (!Array.isArray(value)) return "an object";
      return `[${value.slice(0, MOST_ITEMS).map(showItem).join(", ")}${MOST_ITEMS < value.length ? ", ..." : ""}]`;
    default:
      return String(value);
  }
}

const MOST_CHARACTERS = 200;
const MOST_ITEMS = 8;

function showItem(value: unknown): string {
  return Array.isArray(value) ? "[...]" : show(value);
}

/** Whether `for ... of` works on `value`; text, which it works on by letters, is left out. */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}
