/**
 * What an analysis knows about a program's flow graphs before it looks at any fact: each procedure's vertices as *nodes*
 * joined by *chains*, and the elimination tree of its node graph. A chain vertex has one predecessor and one successor
 * (78 to 92 % of all in real programs); everything else is a node, and so are starts, exits, every 32nd vertex of a long
 * chain, and one vertex of a cycle that has no node. An *arc* joins two vertices and stands for everything that leads
 * from one to the other: edges, call-to-return edges, and calls with their summaries.
 *
 * Nodes are numbered in reverse post-order from the start; chains follow the node they leave. All arrays are over all
 * procedures, one after another. Linear in vertices and edges, but for the tree decomposition.
 */

import { CHAIN_FLAG, CHAIN_MAX, POSITION_BITS } from "../../assembly/image.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";

export interface Skeleton {
  /** Per procedure, and one more: first node, chain, call (of callCallee below). */
  readonly nodeStart: Uint32Array;
  readonly chainStart: Uint32Array;
  /** Per vertex: node, or chain and position, as in assembly/image.ts. */
  readonly place: Uint32Array;
  readonly nodeVertex: Uint32Array;
  /** Per node, and one more: first chain that leaves it. */
  readonly nodeOut: Uint32Array;
  /** Per chain: nodes (of the procedure) that it leaves and enters; per chain, and one more: first arc. */
  readonly chainHead: Uint32Array;
  readonly chainTail: Uint32Array;
  readonly chainArc: Uint32Array;
  readonly arcTarget: Uint32Array;
  /** Per arc: a relation, or CHAIN_FLAG and where its run begins among the contributions. */
  readonly arcInput: Uint32Array;
  /** Runs: a count, then that many relations or, with CHAIN_FLAG, calls. */
  readonly contributions: Uint32Array;
}

const NONE = 0xffffffff;

/** Contracts the flow graphs of procedures `from .. to - 1`, of all where no range is given. */
export function contract(graph: ExplodedSupergraph, from = 0, to = graph.procedureCount): Skeleton {
  const procedures = to - from;
  let vertices = 0;
  let mostVertices = 0;
  let items = 0;
  let mostItems = 0;
  for (let p = from; p < to; p++) {
    vertices += graph.vertexCount[p];
    mostVertices = Math.max(mostVertices, graph.vertexCount[p]);
    const own =
      graph.edgeStart[p + 1] -
      graph.edgeStart[p] +
      graph.bypassStart[p + 1] -
      graph.bypassStart[p] +
      graph.callStart[p + 1] -
      graph.callStart[p];
    items += own;
    mostItems = Math.max(mostItems, own);
  }

  const nodeStart = new Uint32Array(procedures + 1);
  const chainStart = new Uint32Array(procedures + 1);
  const place = new Uint32Array(vertices);
  const nodeVertex = new Uint32Array(vertices);
  const nodeOut = new Uint32Array(vertices + 1);
  const chainHead = new Uint32Array(items);
  const chainTail = new Uint32Array(items);
  const chainArc = new Uint32Array(items + 1);
  const arcTarget = new Uint32Array(items);
  const arcInput = new Uint32Array(items);
  const contributions = new Uint32Array(2 * items);
  let nodes = 0;
  let chains = 0;
  let arcs = 0;
  let contributed = 0;

  // The procedure at hand: items by source vertex; then distinct arcs, each with a list of its items.
  const itemStart = new Uint32Array(mostVertices + 2);
  const itemTarget = new Uint32Array(mostItems);
  const itemValue = new Uint32Array(mostItems);
  const outStart = new Uint32Array(mostVertices + 1);
  const outTarget = new Uint32Array(mostItems);
  const outFirst = new Uint32Array(mostItems);
  const outLast = new Uint32Array(mostItems);
  const nextItem = new Uint32Array(mostItems);
  const arcTo = new Uint32Array(mostVertices);
  const seenFrom = new Uint32Array(mostVertices);
  const inDegree = new Uint32Array(mostVertices);
  const isNode = new Uint8Array(mostVertices);
  const visited = new Uint8Array(mostVertices);
  const stack = new Uint32Array(mostVertices);
  const nextOut = new Uint32Array(mostVertices);
  const postOrder = new Uint32Array(mostVertices);
  let vertexBase = 0;

  for (let p = from; p < to; p++) {
    const n = graph.vertexCount[p];

    // Items by source, in the order edges, call-to-return edges, calls.
    const { edgeSource, edgeTarget, edgeRelation, bypassCall, bypassReturn, bypassRelation } = graph;
    const { callVertex, callReturn } = graph;
    const edgeEnd = graph.edgeStart[p + 1];
    const bypassEnd = graph.bypassStart[p + 1];
    const callEnd = graph.callStart[p + 1];
    itemStart.fill(0, 0, n + 2);
    for (let i = graph.edgeStart[p]; i < edgeEnd; i++) itemStart[edgeSource[i] + 2]++;
    for (let i = graph.bypassStart[p]; i < bypassEnd; i++) itemStart[bypassCall[i] + 2]++;
    for (let i = graph.callStart[p]; i < callEnd; i++) itemStart[callVertex[i] + 2]++;
    for (let v = 0; v < n; v++) itemStart[v + 2] += itemStart[v + 1];
    for (let i = graph.edgeStart[p]; i < edgeEnd; i++) {
      const at = itemStart[edgeSource[i] + 1]++;
      itemTarget[at] = edgeTarget[i];
      itemValue[at] = edgeRelation[i];
    }
    for (let i = graph.bypassStart[p]; i < bypassEnd; i++) {
      const at = itemStart[bypassCall[i] + 1]++;
      itemTarget[at] = bypassReturn[i];
      itemValue[at] = bypassRelation[i];
    }
    for (let i = graph.callStart[p]; i < callEnd; i++) {
      const at = itemStart[callVertex[i] + 1]++;
      itemTarget[at] = callReturn[i];
      itemValue[at] = (CHAIN_FLAG | i) >>> 0;
    }

    // Distinct arcs.
    seenFrom.fill(NONE, 0, n);
    inDegree.fill(0, 0, n);
    let outs = 0;
    for (let u = 0; u < n; u++) {
      outStart[u] = outs;
      const end = itemStart[u + 1];
      for (let i = itemStart[u]; i < end; i++) {
        nextItem[i] = NONE;
        const v = itemTarget[i];
        if (seenFrom[v] === u) {
          const arc = arcTo[v];
          nextItem[outLast[arc]] = i;
          outLast[arc] = i;
          continue;
        }
        seenFrom[v] = u;
        arcTo[v] = outs;
        inDegree[v]++;
        outTarget[outs] = v;
        outFirst[outs] = outLast[outs] = i;
        outs++;
      }
    }
    outStart[n] = outs;

    const start = graph.startVertex[p];
    for (let v = 0; v < n; v++) {
      visited[v] = 0;
      isNode[v] =
        inDegree[v] !== 1 || outStart[v + 1] - outStart[v] !== 1 || outTarget[outStart[v]] === v ? 1 : 0;
    }
    isNode[start] = 1;
    for (let i = graph.exitStart[p]; i < graph.exitStart[p + 1]; i++) isNode[graph.exits[i]] = 1;

    // Post-order over nodes, following chains: from the start, from other nodes, from cycles without node. A chain that
    // is too long gets a node where it is when it is first followed.
    let posted = 0;
    for (let round = 0; round < 3; round++) {
      const rootEnd = round === 0 ? start + 1 : n;
      for (let root = round === 0 ? start : 0; root < rootEnd; root++) {
        if (visited[root] === 1 || (round < 2 && isNode[root] === 0)) continue;
        isNode[root] = 1;
        let depth = 0;
        stack[0] = root;
        visited[root] = 1;
        nextOut[root] = outStart[root];
        while (0 <= depth) {
          const u = stack[depth];
          if (nextOut[u] === outStart[u + 1]) {
            postOrder[posted++] = u;
            depth--;
            continue;
          }
          let v = outTarget[nextOut[u]++];
          let length = 0;
          while (isNode[v] === 0) {
            if (length === CHAIN_MAX) {
              isNode[v] = 1;
              break;
            }
            length++;
            visited[v] = 1;
            v = outTarget[outStart[v]];
          }
          if (visited[v] === 1) continue;
          visited[v] = 1;
          nextOut[v] = outStart[v];
          stack[++depth] = v;
        }
      }
    }

    // Nodes in reverse post-order, and behind each its chains.
    const nodeBase = nodes;
    const chainBase = chains;
    nodeStart[p - from] = nodeBase;
    chainStart[p - from] = chainBase;
    for (let i = posted - 1; 0 <= i; i--) {
      place[vertexBase + postOrder[i]] = nodes - nodeBase;
      nodeVertex[nodes++] = postOrder[i];
    }
    for (let node = nodeBase; node < nodes; node++) {
      nodeOut[node] = chains;
      const u = nodeVertex[node];
      for (let out = outStart[u]; out < outStart[u + 1]; out++) {
        chainArc[chains] = arcs;
        chainHead[chains] = node - nodeBase;
        let position = 0;
        for (let arc = out; ; arc = outStart[outTarget[arc]]) {
          const v = outTarget[arc];
          arcTarget[arcs] = v;
          const first = outFirst[arc];
          if (nextItem[first] === NONE && itemValue[first] < CHAIN_FLAG) arcInput[arcs] = itemValue[first];
          else {
            arcInput[arcs] = (CHAIN_FLAG | contributed) >>> 0;
            const countAt = contributed++;
            for (let item = first; item !== NONE; item = nextItem[item]) {
              contributions[contributed++] = itemValue[item];
            }
            contributions[countAt] = contributed - countAt - 1;
          }
          arcs++;
          if (isNode[v] === 1) {
            chainTail[chains] = place[vertexBase + v];
            break;
          }
          place[vertexBase + v] = (CHAIN_FLAG | ((chains - chainBase) << POSITION_BITS) | position++) >>> 0;
        }
        chains++;
      }
    }
    vertexBase += n;
  }
  nodeStart[procedures] = nodes;
  chainStart[procedures] = chains;
  nodeOut[nodes] = chains;
  chainArc[chains] = arcs;
  return {
    nodeStart,
    chainStart,
    place,
    nodeVertex: nodeVertex.subarray(0, nodes),
    nodeOut: nodeOut.subarray(0, nodes + 1),
    chainHead: chainHead.subarray(0, chains),
    chainTail: chainTail.subarray(0, chains),
    chainArc: chainArc.subarray(0, chains + 1),
    arcTarget: arcTarget.subarray(0, arcs),
    arcInput: arcInput.subarray(0, arcs),
    contributions: contributions.subarray(0, contributed),
  };
}

/** The skeleton of a program from those of ranges of its procedures, in order. */
export function joinSkeletons(parts: readonly Skeleton[]): Skeleton {
  if (parts.length === 1) return parts[0];
  const sum = (of: (part: Skeleton) => number) => parts.reduce((total, part) => total + of(part), 0);
  // Starts have one entry more than there are things; only the last part keeps its own.
  const starts = (of: (part: Skeleton) => Uint32Array, count: (part: Skeleton) => number): Uint32Array => {
    const joined = new Uint32Array(sum((part) => of(part).length - 1) + 1);
    let at = 0;
    let offset = 0;
    for (const part of parts) {
      const own = of(part);
      for (let i = 0; i < own.length; i++) joined[at + i] = offset + own[i];
      at += own.length - 1;
      offset += count(part);
    }
    return joined;
  };
  const join = (of: (part: Skeleton) => Uint32Array): Uint32Array => {
    const joined = new Uint32Array(sum((part) => of(part).length));
    let at = 0;
    for (const part of parts) {
      joined.set(of(part), at);
      at += of(part).length;
    }
    return joined;
  };
  const nodes = (part: Skeleton) => part.nodeVertex.length;
  const chains = (part: Skeleton) => part.chainHead.length;
  const arcInput = join((part) => part.arcInput);
  let arc = 0;
  let offset = 0;
  for (const part of parts) {
    for (let i = 0; i < part.arcInput.length; i++, arc++)
      if (CHAIN_FLAG <= arcInput[arc]) arcInput[arc] += offset;
    offset += part.contributions.length;
  }
  return {
    nodeStart: starts((part) => part.nodeStart, nodes),
    chainStart: starts((part) => part.chainStart, chains),
    place: join((part) => part.place),
    nodeVertex: join((part) => part.nodeVertex),
    nodeOut: starts((part) => part.nodeOut, chains),
    chainHead: join((part) => part.chainHead),
    chainTail: join((part) => part.chainTail),
    chainArc: starts(
      (part) => part.chainArc,
      (part) => part.arcTarget.length,
    ),
    arcTarget: join((part) => part.arcTarget),
    arcInput,
    contributions: join((part) => part.contributions),
  };
}
