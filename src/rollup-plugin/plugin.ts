/**
 * `phloem/rollup`: the rule `use-before-init` while rollup or Vite builds a bundle. Once all modules are loaded, rollup's own
 * module graph and code are analysed, and findings become warnings or errors of the build, at the places in the sources
 * that the code comes from.
 */

import { createFilter } from "@rollup/pluginutils";
import type {
  LogLevel,
  MinimalPluginContext,
  NormalizedOutputOptions,
  PluginContext,
  RollupLog,
  TransformPluginContext,
} from "rollup";
import { type ReportPolicy, reportOf } from "../check/check-report.js";
import { CALLBACKS, type Callbacks, type CheckAnswer, type SourceComment } from "../check/check-request.js";
import { codeFrame } from "../check/code-frame.js";
import type { Finding, WitnessStep } from "../check/finding.js";
import type { SourceLines } from "../check/source-lines.js";
import { anyOf, type ReportedFinding } from "../check/suppress.js";
import { checkModules } from "../javascript/check-modules.js";
import { parseInBrowser } from "../javascript/modules/host/browser-parser.js";
import { bundleHost } from "./bundle-host.js";
import { OriginalPositions, type SourceMapLike, type Transformed } from "./original-positions.js";
import { currentProject } from "./project.js";

/** Globs relative to the current folder, or patterns, of paths. */
export type PathPattern = string | RegExp | readonly (string | RegExp)[] | null;

export interface PhloemOptions {
  /**
   * `warning`, the default: findings are warnings of the build. `error`: a finding that is an error ends the build; one
   * that is a warning stays one.
   */
  readonly severity?: "error" | "warning";
  /** Files whose findings are reported; all unless given. Others are analysed all the same. */
  readonly include?: PathPattern;
  /** Files whose findings are not reported. */
  readonly exclude?: PathPattern;
  /** When unknown callees call functions that they are given; `later` unless given. */
  readonly callbacks?: Callbacks;
  /** A baseline file of `phloem check --write-baseline`, relative to the current folder: findings in it are not reported. */
  readonly baseline?: string;
}

/** A plugin of rollup, with what Vite asks beside: it runs in builds alone, behind the others. */
export interface PhloemPlugin {
  readonly name: "phloem";
  readonly apply: "build";
  readonly enforce: "post";
  transform: {
    readonly order: "post";
    handler(this: TransformPluginContext, code: string, id: string): null;
  };
  onLog(this: MinimalPluginContext, level: LogLevel, log: RollupLog): false | null;
  buildEnd(this: PluginContext, error?: Error): Promise<void>;
  renderStart(this: PluginContext, options: NormalizedOutputOptions): void;
}

const OPTIONS = ["severity", "callbacks", "include", "exclude", "baseline"];

/**
 * The plugin. Modules in `node_modules` are outside, as they are for `phloem check`. Analysis takes place once per build,
 * after the last module is loaded and before anything is generated.
 *
 * @throws {TypeError} for an option that there is not, or that has none of its values
 * @example
 * // rollup.config.js
 * import phloem from "phloem/rollup";
 * export default { input: "src/main.js", plugins: [phloem({ severity: "error" })] };
 */
export function phloem(options: PhloemOptions = {}): PhloemPlugin {
  const { severity = "warning", callbacks = "later", include, exclude, baseline } = options;
  for (const name of Object.keys(options)) choice("option", name, OPTIONS);
  choice("severity", severity, ["error", "warning"]);
  choice("callbacks", callbacks, CALLBACKS);
  const project = currentProject();
  const isReported = createFilter(include as never, exclude as never);
  // Kept from build to build: a watcher does not transform again what has not changed.
  const transformed = new Map<string, Transformed>();
  /** What rollup says of transforms without maps when it is asked for one here, and would say when it needs one itself. */
  const withheld: RollupLog[] = [];
  let isAsking = false;

  return {
    name: "phloem",
    apply: "build",
    enforce: "post",
    transform: {
      order: "post",
      handler(code, id) {
        if (isOutside(id)) return null;
        isAsking = true;
        try {
          transformed.set(id, { code, map: mapBehind(code, this.getCombinedSourcemap()) });
        } finally {
          isAsking = false;
        }
        return null;
      },
    },
    onLog(_, log) {
      if (!isAsking || log.code !== "SOURCEMAP_BROKEN") return null;
      withheld.push(log);
      return false;
    },
    renderStart({ sourcemap }) {
      if (sourcemap) for (const log of withheld.splice(0)) this.warn(log);
    },
    async buildEnd(error) {
      if (error !== undefined) return;
      const { host, entries, idOf } = await bundleHost(this, project.display);
      const answer = await checkModules({ entries, root: "", rules: ["use-before-init"], callbacks }, host);
      for (const { message, file, line, column } of answer.diagnostics) {
        this.warn({ message: `${file}:${line}:${column}: ${message}`, pluginCode: "NOT_ANALYSED" });
      }
      const positions = new OriginalPositions({
        code: (id) => this.getModuleInfo(id)?.code ?? "",
        transformed: (id) => transformed.get(id),
        read: project.read,
        display: project.display,
      });
      const findings = atSources(answer.findings, positions, idOf).filter(({ file }) =>
        isReported(positions.ids.get(file) ?? file),
      );
      const policy: ReportPolicy = {
        rules: ["use-before-init"],
        allRules: false,
        allEntries: false,
        levels: { "unused-ignore": "off" },
        ignore: [],
        ...(baseline === undefined
          ? {}
          : { baseline: { path: baseline, entries: project.baseline(baseline) } }),
      };
      const report = reportOf(await answerAbout(answer, findings, positions), policy);
      publish(report.findings, report.sources, positions, severity, this);
    },
  };
}

export { phloem as default };

const isOutside = (id: string): boolean => /[\\/]node_modules[\\/]/.test(id);

function choice(name: string, value: string, of: readonly string[]): void {
  if (of.includes(value)) return;
  const expected = anyOf(of.map((one) => JSON.stringify(one)));
  throw new TypeError(`phloem/rollup: ${name}: got ${JSON.stringify(value)}, expected ${expected}.`);
}

/** The map, unless it leads to the very code. */
function mapBehind(code: string, map: SourceMapLike): SourceMapLike | undefined {
  return map.sources.length === 1 && map.sourcesContent?.[0] === code ? undefined : map;
}

/** Findings in terms of the sources, each once. */
function atSources(
  findings: readonly Finding[],
  positions: OriginalPositions,
  idOf: (displayPath: string) => string | undefined,
): Finding[] {
  const seen = new Map<string, Finding>();
  const step = (of: WitnessStep): WitnessStep => {
    const id = idOf(of.file) ?? of.file;
    if (of.kind === "evaluates") {
      const file = positions.fileOf(id);
      return { ...of, file, message: of.message.replace(of.file, () => file) };
    }
    const { file, line, column } = positions.place(id, of.line, of.column);
    return { ...of, file, line, column };
  };
  for (const finding of findings) {
    const id = idOf(finding.file) ?? finding.file;
    const { file, line, column } = positions.place(id, finding.line, finding.column);
    const mapped: Finding = {
      ...finding,
      file,
      line,
      column,
      // Ends have no mapping of their own as a rule.
      endLine: line,
      endColumn: column + finding.name.length,
      witness: finding.witness.map(step),
    };
    const key = JSON.stringify([file, line, column, finding.name]);
    const known = seen.get(key);
    if (known === undefined || (known.severity === "warning" && mapped.severity === "error"))
      seen.set(key, mapped);
  }
  return [...seen.values()];
}

/** The answer with the files that findings are in, as they are on disk, and with their comments if they parse. */
async function answerAbout(
  { statistics }: CheckAnswer,
  findings: readonly Finding[],
  { texts, ids }: OriginalPositions,
): Promise<CheckAnswer> {
  const comments: SourceComment[] = [];
  for (const file of new Set(findings.map(({ file }) => file))) {
    const text = texts.get(file) ?? "";
    if (!text.includes("phloem-ignore")) continue;
    const [path] = (ids.get(file) ?? file).split("?");
    const parsed = await parseInBrowser(path, text, "module");
    if (!("comments" in parsed)) continue;
    for (const { range, value } of parsed.comments)
      comments.push({ file, start: range[0], end: range[1], text: value });
  }
  const files = Array.from(texts, ([path, text]) => ({ path, text }));
  return { findings, diagnostics: [], files, comments, statistics };
}

/** Warns of findings; errors end the build if they are to, the first of them with its own place. */
function publish(
  findings: readonly ReportedFinding[],
  sources: SourceLines,
  positions: OriginalPositions,
  severity: "error" | "warning",
  context: PluginContext,
): void {
  const fatal = severity === "error" ? findings.find((finding) => finding.severity === "error") : undefined;
  for (const finding of findings) {
    if (finding !== fatal) context.warn(logOf(finding, sources, positions));
  }
  if (fatal !== undefined) context.error(logOf(fatal, sources, positions));
}

function logOf(finding: ReportedFinding, sources: SourceLines, { ids }: OriginalPositions): RollupLog {
  const { file, line, column, name, message, witness } = finding;
  const id = ids.get(file) ?? file;
  const frame = codeFrame(finding, sources, false);
  const steps = witness.map((step) => `  ${step.file}:${step.line}:${step.column}  ${step.message}`);
  return {
    pluginCode: "USE_BEFORE_INIT",
    message: [message, ...steps].join("\n"),
    id,
    // Columns of rollup's count from 0.
    loc: { file: id, line, column: column - 1 },
    names: [name],
    ...(frame === undefined ? {} : { frame }),
  };
}
