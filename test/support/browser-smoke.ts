/**
 * Queries of every kind, put to the built package wherever it was loaded: in this process, in an installed copy, in a
 * page of a browser. The function is sent to the page as text, so it uses nothing but its arguments; what it returns
 * survives JSON.
 */

/** The package's exports, as a host gets them. */
type Package = typeof import("../../src/index.js");

export interface SmokeOptions {
  readonly engine: "wasm" | "reference";
  /** Bytes of a kernel, in place of the embedded one. */
  readonly kernel?: Uint8Array;
}

export interface SmokeAnswers {
  readonly engine: string;
  readonly pairs: string;
  readonly sources: string;
  readonly meets: string;
  readonly summaries: string;
  readonly entering: string;
  readonly index: string;
  readonly tainted: string[];
  readonly refused: string[];
}

export function smoke(phloem: Package, text: string, options: SmokeOptions): SmokeAnswers {
  const fingerprint = (values: Iterable<number>): string => {
    let count = 0;
    let hash = 0x811c9dc5;
    for (const value of values) {
      hash = Math.imul(hash ^ (value & 0xff), 0x01000193);
      hash = Math.imul(hash ^ (value >>> 8), 0x01000193);
      count++;
    }
    return `${count} values, ${(hash >>> 0).toString(16)}`;
  };
  let state = 1;
  const below = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };

  const graph = phloem.parseIfds(text);
  const analysis = phloem.analyze(graph, options);
  const again = phloem.Analysis.from(analysis.data, options);
  const draws = Array.from({ length: 2000 }, () => {
    const p = below(graph.procedureCount);
    const vertex = () => below(graph.vertexCount[p]);
    const fact = () => below(graph.factCount[p]);
    return [p, vertex(), fact(), vertex(), fact()] as const;
  });
  const batch = analysis.reachesAll(Uint32Array.from(draws.flat()));
  const single = draws.map((draw, i) => (i % 2 === 0 ? analysis : again).reaches(...draw));
  if (single.some((answer, i) => answer !== (batch[i] === 1)))
    throw new Error("Batch and single answers differ.");

  const sources: number[] = [];
  const meets: number[] = [];
  const summaries: number[] = [];
  for (const [p, u, d1, v, d2] of draws.slice(0, 200)) {
    for (const [w, d] of again.from(p, u, d1)) sources.push(p, w, d);
    meets.push(...analysis.procedure(p).meet(u, [d1, d2], v));
    summaries.push(...analysis.procedure(p).summary().flat());
  }
  const entering: number[] = [];
  const start = graph.startVertex[graph.entry];
  const solution = analysis.entering([[graph.entry, start, 0]]);
  for (let p = 0; p < graph.procedureCount; p++)
    for (const [v, d] of solution.procedure(p)) entering.push(p, v, d);

  const program = new phloem.SupergraphBuilder();
  program.procedure("main").edge("start", "call").call("call", "after", "copy").edge("after", "end");
  program.procedure("copy").edge("enter", "leave");
  const problem = phloem.explode<string>(program.supergraph(), {
    normal: (from) =>
      from.label === "start"
        ? phloem.gen("input")
        : from.label === "enter"
          ? phloem.transfer("input", "output")
          : phloem.identity,
  });
  const solved = phloem.analyze(problem.graph, options);
  const facts = problem.decode(solved.entering(problem.seeds), solved);

  const refused: string[] = [];
  const refuse = (action: () => unknown): void => {
    try {
      action();
      refused.push("accepted");
    } catch (error) {
      refused.push(`${(error as Error).name}: ${(error as Error).message}`);
    }
  };
  refuse(() => phloem.parseIfds(text.slice(0, -3)));
  refuse(() => phloem.Analysis.from(analysis.data.slice(0, 64), options));
  refuse(() => analysis.reaches(0, 0, 0, 1_000_000, 0));

  return {
    engine: analysis.statistics.engine,
    pairs: fingerprint(batch),
    sources: fingerprint(sources),
    meets: fingerprint(meets),
    summaries: fingerprint(summaries),
    entering: fingerprint(entering),
    index: fingerprint(new Uint32Array(analysis.data)),
    tainted: facts.before("main", "end"),
    refused,
  };
}
