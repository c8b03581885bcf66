// What in a function only exists where it was written: names from outside, `this`, imports.

import { analyze } from 'eslint-scope';
import type { Function as FunctionNode, Identifier, Node, Program } from 'estree';
import { walk } from 'estree-walker';
import type { ProgramProblem } from '../errors.ts';
import { namesAskedFor } from './asked-names.ts';
import { belongsElsewhere, sandboxGlobals } from './sandbox-globals.ts';

interface Surroundings {
  /** Names that travel with the function. */
  readonly brought: ReadonlySet<string>;
  /** What the function is called where it was written. */
  readonly ownName: string;
}

/** In the order of the source, which stands in one pair of brackets; empty when all is well. */
export function problemsIn(
  program: Program,
  task: FunctionNode,
  surroundings: Surroundings,
): readonly ProgramProblem[] {
  const found = [...freeVariables(program, surroundings), ...thisIn(task), ...bound(task)];
  return found.toSorted((one, other) => one.offset - other.offset).map(({ problem }) => problem);
}

interface Found {
  readonly offset: number;
  readonly problem: ProgramProblem;
}

/** Names that the function reads or writes and does not define. Each is told once. */
function freeVariables(program: Program, { brought, ownName }: Surroundings): readonly Found[] {
  const scopes = analyze(program, {
    ecmaVersion: 2022, // Newer ones have no new kinds of scope.
    sourceType: 'module',
    ignoreEval: true, // A direct eval is a problem of its own; it must not hide the others.
  });
  const known = new Set([...sandboxGlobals, ...brought, ...namesAskedFor(program)]);
  const found: Found[] = [];
  for (const { identifier } of scopes.globalScope?.through ?? []) {
    const { name } = identifier as Identifier;
    if (known.has(name)) continue;
    known.add(name);
    found.push(at(identifier as Node, name, freeSentence(name, ownName)));
  }
  return found;
}

function freeSentence(name: string, ownName: string): string {
  if (name === 'arguments')
    return '"arguments" is not there in an arrow function: name what it gets';
  const elsewhere = belongsElsewhere(name);
  if (elsewhere !== undefined) return `"${name}" does not exist where tasks run: ${elsewhere}`;
  if (name === ownName) {
    return `"${name}" does not travel: to call itself, write it as \`function ${name}(…) { … }\``;
  }
  return `"${name}" is defined outside of it and does not travel: send it along with { with: { ${name} } }, or make it a part of the input`;
}

/** `this` of the task function itself; functions and classes inside it have their own. */
function thisIn(task: FunctionNode): readonly Found[] {
  const found: Found[] = [];
  walk(task, {
    enter(node) {
      const hasOwnThis =
        node.type === 'FunctionDeclaration' ||
        node.type === 'FunctionExpression' ||
        node.type === 'ClassBody';
      if (hasOwnThis && node !== task) this.skip();
      if (node.type !== 'ThisExpression' || found.length > 0) return;
      found.push(at(node, 'this', '`this` does not travel: the function gets `input` and `task`'));
    },
  });
  return found;
}

/** What is bound to the module that the function stands in, or to the one that calls. */
function bound(task: FunctionNode): readonly Found[] {
  const found: Found[] = [];
  walk(task, {
    enter(node) {
      if (node.type === 'ImportExpression') {
        found.push(at(node, 'import', '`import(…)` is not available to tasks'));
      }
      if (node.type === 'MetaProperty' && node.meta.name === 'import') {
        found.push(at(node, 'import.meta', '`import.meta` does not travel'));
      }
      const isCall = node.type === 'CallExpression' && node.callee.type === 'Identifier';
      if (isCall && (node.callee as Identifier).name === 'eval') {
        const sentence = 'direct `eval(…)` is not available to tasks; `(0, eval)(text)` is';
        found.push(at(node, 'eval', sentence));
      }
    },
  });
  return found;
}

function at(node: Node, name: string, message: string): Found {
  const { line, column } = node.loc!.start;
  // The bracket before the source moves its first line by one; columns count from 0 here.
  const problem = { name, line, column: line === 1 ? column : column + 1, message };
  return { offset: node.range![0], problem };
}
