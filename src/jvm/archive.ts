/**
 * Class files and sources in archives: `.jar`, `.war`, `.zip`, and archives inside them (`BOOT-INF/lib`, `WEB-INF/lib`). A
 * multi-release jar gives the newest version of each class. Archives in archives are opened one after the other, to a
 * bound of nesting and of size, so that no archive unpacks without end.
 */

import { type UnzipFileFilter, unzipSync } from "fflate";

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
const MOST_BYTES = 2 ** 30;
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
    const { entries, size, damaged } = extract(bytes, left);
    for (const entry of damaged) {
      const where = entry === "" ? name : `${name}!/${entry}`;
      problems.push({
        name: where,
        message: "Got an archive that cannot be read there, expected a zip file.",
      });
    }
    left -= size;
    if (left < 0) {
      // What is inside archives that were not opened is missing as well.
      problems.push({
        name,
        message: `Got archives of more than ${MOST_BYTES} bytes, expected fewer: the rest was not opened.`,
      });
      const rest = pending.filter((file) => !ARCHIVE.test(file.name)).reverse();
      result.push(...rest);
      break;
    }
    const isMultiRelease = /^Multi-Release:\s*true\s*$/im.test(
      new TextDecoder().decode(entries.get(MANIFEST) ?? new Uint8Array()),
    );
    const newest = new Map<string, { release: number; bytes: Uint8Array }>();
    for (const entry of [...entries.keys()].sort()) {
      const versioned = isMultiRelease ? VERSIONED.exec(entry) : null;
      const [, release, path] = versioned ?? [undefined, "0", entry];
      const known = newest.get(path);
      if (known === undefined || known.release < Number(release))
        newest.set(path, { release: Number(release), bytes: entries.get(entry)! });
    }
    for (const [path, entry] of [...newest].sort(([a], [b]) => (a < b ? 1 : -1))) {
      // `META-INF` has no classes but those of other versions.
      if (path.startsWith("META-INF/") && !ARCHIVE.test(path)) continue;
      pending.push({ name: `${name}!/${path.replace(ROOT, "")}`, bytes: entry.bytes, level: level + 1 });
    }
  }
  return { files: result, problems };
}

interface Extracted {
  /** By name; of several of one name the last, as in the virtual machine. */
  readonly entries: ReadonlyMap<string, Uint8Array>;
  /** Bytes that they say they are; none was unpacked where that is more than the most. */
  readonly size: number;
  /** Names of those that are damaged: "" where that is the archive itself. */
  readonly damaged: readonly string[];
}

/**
 * The wanted entries of an archive. Each byte of it is unpacked once at most but for damage, of which every piece costs a
 * logarithm.
 */
function extract(bytes: Uint8Array, most: number): Extracted {
  const entries = new Map<string, Uint8Array>();
  const damaged = new Set<string>();
  const start = archiveStart(bytes);
  const whole = bytes.subarray(Math.max(start, 0));
  /** Name -> its number in the archive. */
  const wanted = new Map<string, number>();
  let size = 0;
  let packed = 0;
  let number = 0;
  const look: UnzipFileFilter = ({ name, size: packedSize, originalSize }) => {
    const at = number++;
    if (!WANTED.test(name)) return false;
    packed += packedSize;
    // More than there is: entries overlap, and would be unpacked again and again.
    if (MOST_RATIO * packedSize + MOST_RATIO < originalSize || whole.length < packed) damaged.add(name);
    else {
      size += originalSize;
      wanted.set(name, at);
    }
    return false;
  };
  try {
    if (start < 0) throw new RangeError();
    unzipSync(whole, { filter: look });
  } catch {
    return { entries, size: 0, damaged: [""] };
  }
  if (most < size) return { entries, size, damaged: [...damaged].sort() };
  // All at once; a set with a damaged entry is halved until that is alone.
  const pending: [name: string, number: number][][] = [[...wanted]];
  while (0 < pending.length) {
    const part = pending.pop()!;
    if (part.length === 0) continue;
    const numbers = new Set(part.map(([, at]) => at));
    let next = 0;
    try {
      const found = unzipSync(whole, { filter: () => numbers.has(next++) });
      for (const [name] of part) entries.set(name, found[name]);
    } catch {
      const half = part.length >>> 1;
      if (half === 0) damaged.add(part[0][0]);
      else pending.push(part.slice(0, half), part.slice(half));
    }
  }
  return { entries, size, damaged: [...damaged].sort() };
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_SIZE = 22;
const LONGEST_COMMENT = 0xffff;
/** In the place of a size that an archive says elsewhere (Zip64). */
const ELSEWHERE = 0xffffffff;

/**
 * Where in a file an archive begins, of which nothing but the end has a fixed place: before it there may be a script that runs
 * it, or the header of a `.jmod`. -1 where there is none.
 */
function archiveStart(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const least = Math.max(0, bytes.length - END_SIZE - LONGEST_COMMENT);
  let end = bytes.length - END_SIZE;
  while (least <= end && view.getUint32(end, true) !== END_OF_DIRECTORY) end--;
  if (end < least) return -1;
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  const offset = view.getUint32(end + 16, true);
  if (size === ELSEWHERE || offset === ELSEWHERE) return 0;
  const start = end - size - offset;
  if (start < 0) return -1;
  return count === 0 || view.getUint32(end - size, true) === DIRECTORY_ENTRY ? start : -1;
}
