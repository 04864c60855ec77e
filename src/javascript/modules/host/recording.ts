/**
 * What a program depends on beside the analysis: everything that its host answered while it was loaded. Asked again, the same
 * host says whether anything is different now: a text, where a specifier leads, what a tsconfig.json or package.json says,
 * a file that has come to be. Paths are kept relative to the root, so that a project may be moved. Costs reading and resolving
 * again, no parsing.
 */

import type { SourceHost, Target } from "../source.js";

/** A question to the host and its answer, as JSON; texts as their digests, `null` for none. */
export type Observation =
  | readonly ["locate", entry: string, path: string | null]
  | readonly ["read", path: string, digest: string | null]
  | readonly ["resolve", from: string, specifier: string, conditions: "import" | "require", target: unknown]
  | readonly ["settings", path: string, settings: string]
  | readonly ["type", path: string, type: string | null];

/** A text's digest: equal for equal texts, and for no others. */
export type Digest = (text: string) => string;

/** The host, and what it has answered so far, in order. */
export function recordingHost(
  host: SourceHost,
  digest: Digest,
): { readonly host: SourceHost; readonly observations: readonly Observation[] } {
  const observations: Observation[] = [];
  const seen = new Set<string>();
  /** Kept once: hosts are asked the same again and again. */
  const observe = (observation: Observation) => {
    const key = observation.slice(0, -1).join("\0");
    if (seen.has(key)) return;
    seen.add(key);
    observations.push(observation);
  };
  const shown = (path: string) => host.displayPath(path);
  return {
    observations,
    host: {
      ...host,
      locate(entry) {
        const path = host.locate(entry);
        observe(["locate", entry, path === undefined ? null : shown(path)]);
        return path;
      },
      async read(path) {
        const text = await host.read(path);
        observe(["read", shown(path), text === undefined ? null : digest(text)]);
        return text;
      },
      resolve(from, specifier, conditions) {
        const target = host.resolve(from, specifier, conditions);
        observe(["resolve", shown(from), specifier, conditions, shownTarget(target, shown)]);
        return target;
      },
      settings(path) {
        const settings = host.settings(path);
        observe(["settings", shown(path), JSON.stringify(settings)]);
        return settings;
      },
      packageType(path) {
        const type = host.packageType(path);
        observe(["type", shown(path), type ?? null]);
        return type;
      },
    },
  };
}

export interface Replay {
  /** Display paths of what is not as it was, sorted: files, and modules whose surroundings have changed. */
  readonly changed: readonly string[];
  /** Texts by display path, as they are now. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Asks a host again what was observed. `host` must be a new one: hosts remember what they have read. */
export async function replay(
  observations: readonly Observation[],
  host: SourceHost,
  digest: Digest,
): Promise<Replay> {
  const changed = new Set<string>();
  const texts = new Map<string, string>();
  const paths = new Map<string, string>();
  const shown = (path: string): string => {
    const display = host.displayPath(path);
    paths.set(display, path);
    return display;
  };
  for (const observation of observations) {
    if (observation[0] === "locate") {
      const path = host.locate(observation[1]);
      if ((path === undefined ? null : shown(path)) !== observation[2]) changed.add(observation[1]);
    }
  }
  for (const observation of observations) {
    if (observation[0] === "locate") continue;
    const path = paths.get(observation[1]);
    if (path === undefined || !(await isSame(observation, path))) changed.add(observation[1]);
  }
  return { changed: [...changed].sort(), texts };

  async function isSame(observation: Observation, path: string): Promise<boolean> {
    switch (observation[0]) {
      case "read": {
        const text = await host.read(path);
        if (text !== undefined) texts.set(observation[1], text);
        return (text === undefined ? null : digest(text)) === observation[2];
      }
      case "resolve": {
        const [, , specifier, conditions, target] = observation;
        const now = shownTarget(host.resolve(path, specifier, conditions), shown);
        return JSON.stringify(now) === JSON.stringify(target);
      }
      case "settings":
        return JSON.stringify(host.settings(path)) === observation[2];
      case "type":
        return (host.packageType(path) ?? null) === observation[2];
      default:
        return true;
    }
  }
}

/** A target as JSON. */
function shownTarget(target: Target, shown: (path: string) => string): unknown {
  if (target === undefined) return null;
  return typeof target === "string" ? shown(target) : target;
}
