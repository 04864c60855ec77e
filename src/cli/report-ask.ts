/** Answers of `phloem ask` for people: the position with the source around it, below it what was found, and why. */

import type { ExplainedStep } from "../ask/explanation.js";
import type { Places } from "../ask/places.js";
import { type Extent, placeText } from "../ask/position.js";
import { codeFrame } from "../check/code-frame.js";
import type { Place } from "../program/diagnostic.js";
import type { Colours } from "./output.js";

export const QUESTIONS = ["definitions", "live", "uninitialized", "reaches"] as const;
export type Question = (typeof QUESTIONS)[number];

/** One thing that was found: a definition, a variable. */
export interface FoundItem {
  /** Undefined for a variable that no source declares. */
  readonly place: Extent | undefined;
  readonly name: string;
  readonly steps?: readonly ExplainedStep[];
}

export interface AskedAnswer {
  readonly position: Place;
  readonly extent: Extent;
  readonly names: readonly string[];
  readonly question: Question;
  /** Of `reaches`: where to. */
  readonly to?: Place;
  /** Whether an execution gets there at all. */
  readonly isExecuted: boolean;
  /** Yes, or something was found. */
  readonly holds: boolean;
  /** In a sentence. */
  readonly text: string;
  readonly items: readonly FoundItem[];
  /** Of a yes. */
  readonly steps?: readonly ExplainedStep[];
}

export function answerText(answer: AskedAnswer, places: Places, colours: Colours): string {
  const { extent, text, holds, items, steps, isExecuted } = answer;
  const head = `${colours.cyan(placeText(extent))}  ${holds ? colours.bold(text) : text}`;
  const frame = codeFrame(extent, places.lines, colours.isColorSupported);
  const blocks = [head];
  if (!isExecuted) blocks.push(`  ${colours.yellow("No execution gets here.")}`);
  if (frame !== undefined) blocks.push(frame);
  if (0 < items.length) blocks.push(itemLines(items, places, colours).join("\n"));
  if (steps !== undefined) blocks.push(stepLines(steps, colours, "  ").join("\n"));
  return `${blocks.join("\n\n")}\n`;
}

/** Place, name and source line of each below each other; under each the steps that explain it. */
function itemLines(items: readonly FoundItem[], places: Places, colours: Colours): string[] {
  const texts = items.map(({ place }) => (place === undefined ? "" : placeText(place)));
  const [placeWidth, nameWidth] = [widest(texts), widest(items.map(({ name }) => name))];
  return items.flatMap(({ place, name, steps }, i) => {
    const [source = ""] = place === undefined ? [] : places.lines.lines(place.file, place.line, place.line);
    const line = `  ${colours.cyan(texts[i].padEnd(placeWidth))}  ${name.padEnd(nameWidth)}  ${colours.dim(cut(source.trim()))}`;
    return [line.trimEnd(), ...(steps === undefined ? [] : stepLines(steps, colours, "      "))];
  });
}

function stepLines(steps: readonly ExplainedStep[], colours: Colours, indent: string): string[] {
  const texts = steps.map(placeText);
  const [placeWidth, messageWidth] = [widest(texts), widest(steps.map(({ message }) => message))];
  return steps.map(({ kind, message, holds }, i) => {
    const shown = message.padEnd(messageWidth);
    const coloured = kind === "here" ? colours.red(shown) : kind === "begins" ? colours.green(shown) : shown;
    return `${indent}${colours.cyan(texts[i].padEnd(placeWidth))}  ${coloured}  ${colours.dim(holds)}`.trimEnd();
  });
}

const widest = (texts: readonly string[]): number =>
  texts.reduce((most, { length }) => Math.max(most, length), 0);

const cut = (text: string): string => (text.length <= 80 ? text : `${text.slice(0, 79)}…`);

/** The same as JSON values. */
export function answerValue({
  position,
  extent,
  names,
  question,
  to,
  isExecuted,
  holds,
  items,
  steps,
}: AskedAnswer) {
  return {
    position: placeText(position),
    extent,
    names,
    question,
    ...(to && { to: placeText(to) }),
    executed: isExecuted,
    answer: holds,
    ...(question === "definitions" || question === "live"
      ? {
          found: items.map(({ name, place, steps }) => ({
            name,
            place: place ?? null,
            ...(steps && { steps }),
          })),
        }
      : {}),
    ...(steps && { steps }),
  };
}
