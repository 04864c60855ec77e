/**
 * Class files and sources in archives: `.jar`, `.war`, `.zip`, and archives inside them (`BOOT-INF/lib`, `WEB-INF/lib`). A
 * multi-release jar gives the newest version of each class. Archives in archives are opened one after the other, to a
 * bound of nesting and of size, so that no archive unpacks without end.
 */

import { unzipSync } from "fflate";

/** A file out of an archive, or one that was not in any. */
export interface NamedBytes {
  /** Where it was: archives from the outermost in, joined by `!/`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Unpacked {
  readonly files: readonly NamedBytes[];
  readonly problems: readonly { readonly name: string; readonly message: string }[];
}

const MOST_LEVELS = 4;
/** Bytes that all archives together may unpack to. */
const MOST_BYTES = 2 ** 31;
/** A byte of deflated data gives 1032 bytes at most. */
const MOST_RATIO = 1032;

const ARCHIVE = /\.(?:jar|war|ear|zip|jmod)$/i;
const MANIFEST = "META-INF/MANIFEST.MF";
const WANTED = /\.(?:class|java|jar|war|ear)$|^META-INF\/MANIFEST\.MF$/i;
const VERSIONED = /^META-INF\/versions\/(\d+)\/(.*)$/;
/** Folders of archives in which classes begin. */
const ROOT = /^(?:BOOT-INF\/classes|WEB-INF\/classes|classes)\//;

/** Files in the order of their names, those of each archive in the archive's place. */
export function unpack(files: Iterable<readonly [name: string, bytes: Uint8Array]>): Unpacked {
  const result: NamedBytes[] = [];
  const problems: { name: string; message: string }[] = [];
  let left = MOST_BYTES;
  const pending = Array.from(files, ([name, bytes]) => ({ name, bytes, level: 0 })).reverse();
  while (0 < pending.length) {
    const { name, bytes, level } = pending.pop()!;
    if (!ARCHIVE.test(name)) {
      result.push({ name, bytes });
      continue;
    }
    if (level === MOST_LEVELS) {
      problems.push({
        name,
        message: `Got archives nested ${level + 1} deep, expected ${MOST_LEVELS} at most.`,
      });
      continue;
    }
    const size = { left };
    const { entries, damaged, isTooLarge } = extract(withoutModuleHeader(bytes), size);
    left = size.left;
    for (const entry of damaged) {
      const where = entry === "" ? name : `${name}!/${entry}`;
      problems.push({
        name: where,
        message: "Got an archive that cannot be read there, expected a zip file.",
      });
    }
    if (isTooLarge)
      problems.push({ name, message: `Got archives of more than ${MOST_BYTES} bytes, expected fewer.` });
    const isMultiRelease = /^Multi-Release:\s*true\s*$/im.test(
      new TextDecoder().decode(entries[MANIFEST] ?? new Uint8Array()),
    );
    const newest = new Map<string, { release: number; bytes: Uint8Array }>();
    for (const entry of Object.keys(entries).sort()) {
      const versioned = isMultiRelease ? VERSIONED.exec(entry) : null;
      const [, release, path] = versioned ?? [undefined, "0", entry];
      const known = newest.get(path);
      if (known === undefined || known.release < Number(release))
        newest.set(path, { release: Number(release), bytes: entries[entry] });
    }
    for (const [path, entry] of [...newest].sort(([a], [b]) => (a < b ? 1 : -1))) {
      // `META-INF` has no classes but those of other versions.
      if (path.startsWith("META-INF/") && !ARCHIVE.test(path)) continue;
      pending.push({ name: `${name}!/${path.replace(ROOT, "")}`, bytes: entry.bytes, level: level + 1 });
    }
  }
  return { files: result, problems };
}

/** Four bytes before the archive itself: `JM` and a version. */
function withoutModuleHeader(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0x4a && bytes[1] === 0x4d ? bytes.subarray(4) : bytes;
}

/** The wanted entries of an archive, and names of those that are damaged: "" where that is the archive itself. */
function extract(
  bytes: Uint8Array,
  size: { left: number },
): { entries: Record<string, Uint8Array>; damaged: string[]; isTooLarge: boolean } {
  const entries: Record<string, Uint8Array> = {};
  const damaged: string[] = [];
  const names = new Set<string>();
  let isTooLarge = false;
  try {
    unzipSync(bytes, {
      filter({ name, size: packed, originalSize }) {
        if (!WANTED.test(name) || names.has(name)) return false;
        if (MOST_RATIO * packed + MOST_RATIO < originalSize) damaged.push(name);
        else if (size.left < originalSize) isTooLarge = true;
        else {
          size.left -= originalSize;
          names.add(name);
        }
        return false;
      },
    });
  } catch {
    return { entries, damaged: [""], isTooLarge };
  }
  // All at once; a set with a damaged entry is halved until that is alone.
  const pending: string[][] = [[...names]];
  while (0 < pending.length) {
    const wanted = pending.pop()!;
    if (wanted.length === 0) continue;
    const set = new Set(wanted);
    try {
      Object.assign(entries, unzipSync(bytes, { filter: ({ name }) => set.has(name) }));
    } catch {
      const half = wanted.length >>> 1;
      if (half === 0) damaged.push(wanted[0]);
      else pending.push(wanted.slice(0, half), wanted.slice(half));
    }
  }
  return { entries, damaged: damaged.sort(), isTooLarge };
}
