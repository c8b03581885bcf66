// Finds what a program uses of its surroundings and would miss in a sandbox: names from outside, `this`,
// imports at run time, direct `eval`. The callers turn these captures into sentences.

import { analyze, type ScopeManager } from 'eslint-scope';
import type { Function as FunctionNode, Identifier, Node, Program } from 'estree';
import { walk } from 'estree-walker';
import { sandboxGlobals } from './sandbox-globals.ts';

export interface Capture {
  readonly kind: 'name' | CapturingSyntax;
  /** The captured name; for other kinds the kind. */
  readonly name: string;
  readonly node: Node;
}

export type CapturingSyntax = 'this' | 'import' | 'import.meta' | 'eval';

/** The tree must have `range` in its nodes. */
export function scopesOf(program: Program): ScopeManager {
  return analyze(program, {
    ecmaVersion: 2022, // Newer ones have no new kinds of scope.
    sourceType: 'module',
    ignoreEval: true, // A direct eval is a capture of its own; it must not hide the others.
  });
}

/** All captures but `this`, unordered. `brought` are names that are sent along with the program. */
export function capturesIn(
  program: Program,
  scopes: ScopeManager,
  brought: Iterable<string>,
  mayBeMissing?: (name: string) => boolean,
): readonly Capture[] {
  const seen = new Set<string>();
  return everyCapture(program, scopes, brought, mayBeMissing).filter(({ kind, name }) => {
    if (kind !== 'name') return true;
    // Each name is reported once, where it comes first.
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

/** The same with every place where a name stands. */
export function everyCapture(
  program: Program,
  scopes: ScopeManager,
  brought: Iterable<string>,
  /** Of a name that the program asks for with `typeof`: whether it then is none that it would miss. */
  mayBeMissing: (name: string) => boolean = () => true,
): readonly Capture[] {
  const found: Capture[] = [];
  const known = new Set([...sandboxGlobals, ...brought]);
  const fieldNames = new Set<unknown>();
  walk(program, {
    enter(node) {
      const kind = syntaxOf(node);
      if (kind !== undefined) found.push({ kind, name: kind, node });
      // A program that tests `typeof process` also works where that name does not exist.
      if (node.type === 'UnaryExpression' && node.operator === 'typeof') {
        const { argument } = node;
        if (argument.type === 'Identifier' && mayBeMissing(argument.name)) known.add(argument.name);
      }
      const field = accessorName(node);
      if (field !== undefined) fieldNames.add(field);
    },
  });
  for (const { identifier } of scopes.globalScope?.through ?? []) {
    const { name } = identifier as Identifier;
    if (known.has(name) || fieldNames.has(identifier)) continue;
    found.push({ kind: 'name', name, node: identifier as Node });
  }
  return found;
}

/** The first `this` of the task function itself; functions and classes inside it have their own. */
export function thisIn(task: FunctionNode): readonly Capture[] {
  const found: Capture[] = [];
  walk(task, {
    enter(node) {
      const hasOwnThis =
        node.type === 'FunctionDeclaration' ||
        node.type === 'FunctionExpression' ||
        node.type === 'ClassBody';
      if (hasOwnThis && node !== task) this.skip();
      if (node.type !== 'ThisExpression' || found.length > 0) return;
      found.push({ kind: 'this', name: 'this', node });
    },
  });
  return found;
}

function syntaxOf(node: Node): CapturingSyntax | undefined {
  if (node.type === 'ImportExpression') return 'import';
  if (node.type === 'MetaProperty' && node.meta.name === 'import') return 'import.meta';
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return undefined;
  return node.callee.name === 'eval' ? 'eval' : undefined;
}

/** The name of an `accessor` field, which the analysis of scopes takes for a variable. */
function accessorName(node: Node): Node | undefined {
  if ((node.type as string) !== 'AccessorProperty') return undefined;
  const { key, computed } = node as unknown as { key: Node; computed: boolean };
  return computed ? undefined : key;
}
