/**
 * Programs that say what they do: which statements run, and at each read of a variable, which write of it gave the value. A variable
 * is followed if each write of it is a declarator or an assignment of its own; beside it there is another one that says which write
 * came last. Lines stay as they are.
 */

import type { TSESTree } from "@typescript-eslint/types";
import { visitorKeys } from "@typescript-eslint/visitor-keys";
import { parseModule } from "../../src/javascript/modules/parse.js";
import type { SourceHost } from "../../src/javascript/modules/source.js";

type Node = TSESTree.Node;

/** Statements that are no others' frame. */
const SIMPLE = /^(Expression|Return|Throw)Statement|^VariableDeclaration/;

/** A place in the text that is analysed. */
export interface Extent {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

export interface Instrumented {
  readonly files: Readonly<Record<string, string>>;
  /** What is logged about extent number i: `s i` runs, `u d u` the use u gets its value from the definition d. */
  readonly extents: readonly Extent[];
}

/** @param number that of the program among those that run together, for the log */
export async function instrument(
  files: Readonly<Record<string, string>>,
  number: number,
  host: SourceHost,
): Promise<Instrumented> {
  const extents: Extent[] = [];
  const written: Record<string, string> = {};
  for (const [file, text] of Object.entries(files)) {
    const { module } = await parseModule(file, text, host);
    const insertions: { at: number; text: string; isEnd: boolean; order: number }[] = [];
    const extent = ({ range }: Node) => extents.push({ file, start: range[0], end: range[1] }) - 1;
    const parents = new Map<Node, Node>();
    const order = new Map<Node, number>();
    const visit = (root: Node) => {
      const work: Node[] = [root];
      while (0 < work.length) {
        const node = work.pop()!;
        order.set(node, order.size);
        const children: Node[] = [];
        for (const key of visitorKeys[node.type] ?? []) {
          const value = (node as unknown as Record<string, unknown>)[key];
          for (const child of Array.isArray(value) ? value : [value])
            if (child && typeof child === "object") children.push(child as Node);
        }
        for (const child of children.reverse()) {
          parents.set(child, node);
          work.push(child);
        }
      }
    };
    visit(module.ast);
    const around = (node: Node, before: string, after: string) => {
      const at = order.get(node)!;
      insertions.push({ at: node.range[0], text: before, isEnd: false, order: at });
      insertions.push({ at: node.range[1], text: after, isEnd: true, order: -at });
    };

    for (const [node, parent] of parents) {
      const isListed =
        parent.type === "Program" || parent.type === "BlockStatement" || parent.type === "StaticBlock";
      if (!isListed || !SIMPLE.test(node.type) || "directive" in node) continue;
      around(node, `$s(${extent(node)});`, "");
    }

    for (const scope of module.scopes.scopes) {
      for (const variable of scope.variables) {
        const [definition] = variable.defs;
        if (variable.defs.length !== 1 || (definition.type as string) !== "Variable") continue;
        const declarator = definition.node as TSESTree.VariableDeclarator;
        const declaration = parents.get(declarator)!;
        const home = parents.get(declaration)!;
        const isPlain =
          declarator.id.type === "Identifier" &&
          ["Program", "BlockStatement", "StaticBlock"].includes(home.type) &&
          !(declaration as TSESTree.VariableDeclaration).kind.includes("using");
        const isFollowed = variable.references.every((reference) => {
          const node = reference.identifier as Node;
          const parent = parents.get(node)!;
          if (parent.type === "ExportSpecifier") return false;
          if (!reference.isWrite()) return true;
          if (parent === declarator) return node === declarator.id;
          if (parent.type === "UpdateExpression") return true;
          return (
            parent.type === "AssignmentExpression" &&
            parent.left === node &&
            !["||=", "&&=", "??="].includes(parent.operator)
          );
        });
        if (!isPlain || !isFollowed) continue;
        const last = `$d_${variable.name}`;
        const define = (node: Node) => `${last} = ${extent(node)}`;
        around(declarator, "", declarator.init === null ? `, ${last}` : `, ${define(declarator.id)}`);
        for (const reference of variable.references) {
          const node = reference.identifier as Node;
          const parent = parents.get(node)!;
          const use = () => `$u(${variable.name}, ${last}, ${extent(node)})`;
          if (parent === declarator && node === declarator.id) continue;
          if (reference.isWrite()) {
            const target = parent.type === "UpdateExpression" ? parent : node;
            const before = reference.isRead() ? `$w((${use()}, ` : "$w((";
            around(parent, before, `), ${define(target)})`);
          } else {
            const isShort = parent.type === "Property" && parent.shorthand;
            // What is read stays, as an operand that nobody uses.
            around(node, isShort ? `${variable.name}: (${use()}, ` : `(${use()}, `, ")");
          }
        }
      }
    }
    insertions.sort((a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || a.order - b.order);
    let out = `function $s(k) { observe(${number}, "s " + k); } function $w(v) { return v; } `;
    out += `function $u(v, d, u) { if (d !== undefined) observe(${number}, "u " + d + " " + u); } `;
    let done = 0;
    for (const { at, text: inserted } of insertions) {
      out += text.slice(done, at) + inserted;
      done = at;
    }
    written[file] = out + text.slice(done);
  }
  return { files: written, extents };
}
