/**
 * Jars by their coordinates, from a repository in Maven's layout: Maven Central, or another one, such as a mirror or Debian's
 * `/usr/share/maven-repo` behind any server of files. What arrives is held against the checksum beside it.
 */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const CENTRAL = "https://repo1.maven.org/maven2";
const MOST_MILLISECONDS = 600_000;

/** The repository that the environment names, or Maven Central. */
export const mavenRepository = (): string =>
  (process.env.PHLOEM_MAVEN_REPOSITORY ?? CENTRAL).replace(/\/+$/, "");

/**
 * Fetches the jar of `group:artifact:version` into a folder, as `artifact-version.jar`. Throws an `Error` of half a sentence,
 * what was got: no answer, another status than 200, bytes of another checksum.
 */
export async function fetchArtifact(coordinates: string, folder: string, repository: string): Promise<void> {
  const [group, artifact, version] = coordinates.split(":");
  const name = `${artifact}-${version}.jar`;
  const url = `${repository}/${group.replaceAll(".", "/")}/${artifact}/${version}/${name}`;
  const bytes = await get(url);
  // Some have the name of the file after the digest.
  const [digest] = Buffer.from(await get(`${url}.sha1`))
    .toString("latin1")
    .trim()
    .split(/\s+/);
  const found = createHash("sha1").update(bytes).digest("hex");
  if (found !== digest.toLowerCase()) throw new Error(`SHA-1 ${found} of ${url} and not ${digest}`);
  writeFileSync(join(folder, name), bytes);
}

async function get(url: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(MOST_MILLISECONDS) });
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string }; message: string };
    throw new Error(`no answer from ${url} (${cause?.code ?? message})`);
  }
  if (!response.ok) throw new Error(`status ${response.status} for ${url}`);
  return new Uint8Array(await response.arrayBuffer());
}
