/**
 * Log-log plots as plain SVG text: dots, joined by a line where a series is a curve, with grid lines at powers of ten.
 * No library: two axes, dots and a legend are less text than a description of them in some chart grammar. A value of
 * Infinity stands for a time-out and is drawn hollow at the upper edge.
 */

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly line?: boolean;
}

const WIDTH = 640;
const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 150;
const TOP = 34;
const BOTTOM = 50;
const COLORS = ["#0b6e4f", "#d1495b", "#3066be", "#edae49", "#7b2d8b", "#555555", "#3bb4c1"];

/** Powers of ten, one at least, around the values. */
function decades(values: readonly number[]): [from: number, to: number] {
  const finite = values.filter((x) => Number.isFinite(x) && 0 < x);
  if (finite.length === 0) return [0, 1];
  const from = Math.floor(Math.log10(Math.min(...finite)));
  return [from, Math.max(from + 1, Math.ceil(Math.log10(Math.max(...finite))))];
}

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function power(exponent: number): string {
  if (-3 < exponent && exponent < 4) return String(Number(`1e${exponent}`));
  const digits = Array.from(String(Math.abs(exponent)), (digit) => SUPERSCRIPT[Number(digit)]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

export function logLogPlot(title: string, xLabel: string, yLabel: string, series: readonly Series[]): string {
  const [x0, x1] = decades(series.flatMap(({ points }) => points.map(([x]) => x)));
  const [y0, y1] = decades(series.flatMap(({ points }) => points.map(([, y]) => y)));
  const bottom = HEIGHT - BOTTOM;
  const right = WIDTH - RIGHT;
  const xAt = (x: number) => LEFT + ((Math.log10(x) - x0) / (x1 - x0)) * (right - LEFT);
  const yAt = (y: number) =>
    y === Number.POSITIVE_INFINITY ? TOP : bottom - ((Math.log10(y) - y0) / (y1 - y0)) * (bottom - TOP);
  const at = (x: number) => x.toFixed(1);

  const parts: string[] = [];
  for (let e = x0; e <= x1; e++) {
    const x = at(xAt(10 ** e));
    parts.push(`<path class="grid" d="M${x} ${TOP}V${bottom}"/>`);
    parts.push(`<text x="${x}" y="${bottom + 18}" text-anchor="middle">${power(e)}</text>`);
  }
  for (let e = y0; e <= y1; e++) {
    const y = yAt(10 ** e);
    parts.push(`<path class="grid" d="M${LEFT} ${at(y)}H${right}"/>`);
    parts.push(`<text x="${LEFT - 8}" y="${at(y + 4)}" text-anchor="end">${power(e)}</text>`);
  }
  for (const [i, { name, points, line }] of series.entries()) {
    const color = COLORS[i % COLORS.length];
    const drawn = points.filter(([x, y]) => 0 < x && 0 < y);
    if (line && 1 < drawn.length) {
      const path = drawn.map(([x, y]) => `${at(xAt(x))} ${at(yAt(y))}`).join("L");
      parts.push(`<path d="M${path}" fill="none" stroke="${color}" stroke-width="1.5"/>`);
    }
    for (const [x, y] of drawn) {
      const fill = Number.isFinite(y) ? color : "white";
      parts.push(
        `<circle cx="${at(xAt(x))}" cy="${at(yAt(y))}" r="3.5" fill="${fill}" stroke="${color}" fill-opacity="0.75"/>`,
      );
    }
    const y = TOP + 10 + 20 * i;
    parts.push(`<circle cx="${right + 16}" cy="${y}" r="4" fill="${color}"/>`);
    parts.push(`<text x="${right + 26}" y="${y + 4}">${escaped(name)}</text>`);
  }
  const middle = (TOP + bottom) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#222}.grid{stroke:#ddd;fill:none}</style>
<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>
<text x="${LEFT}" y="20" style="font-weight:600;font-size:14px">${escaped(title)}</text>
${parts.join("\n")}
<text x="${(LEFT + right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(xLabel)}</text>
<text transform="translate(16 ${middle}) rotate(-90)" text-anchor="middle">${escaped(yLabel)}</text>
</svg>
`;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
