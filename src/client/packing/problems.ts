// Makes sentences of the captures in a function.

import type { Function as FunctionNode, Program } from 'estree';
import type { ProgramProblem } from '../errors.ts';
import { type Capture, capturesIn, type CapturingSyntax, scopesOf, thisIn } from './captures.ts';
import { packageNamed } from './packages.ts';
import { belongsElsewhere } from './sandbox-globals.ts';

interface FunctionNames {
  /** Names that are sent along with the function. */
  readonly brought: ReadonlySet<string>;
  /** The name that the function has where it was written. */
  readonly ownName: string;
}

/** The problems in the order of the source. The source in `program` stands in one pair of brackets. */
export function problemsIn(
  program: Program,
  task: FunctionNode,
  { brought, ownName }: FunctionNames,
): readonly ProgramProblem[] {
  return [...capturesIn(program, scopesOf(program), brought), ...thisIn(task)]
    .filter(({ node }) => packageNamed(node) === undefined)
    .toSorted((one, other) => one.node.range![0] - other.node.range![0])
    .map((capture) => problemOf(capture, ownName));
}

function problemOf({ kind, name, node }: Capture, ownName: string): ProgramProblem {
  const { line, column } = node.loc!.start;
  const message = kind === 'name' ? freeSentence(name, ownName) : SENTENCES[kind];
  // The bracket before the source moves its first line by one; columns count from 0 here.
  return { name, line, column: line === 1 ? column : column + 1, message };
}

const SENTENCES: Readonly<Record<CapturingSyntax, string>> = {
  this: '`this` does not travel: the function gets `input` and `task`',
  import:
    '`import(…)` brings a package along by its name, as in `import("lodash-es")`, and nothing else',
  'import.meta': '`import.meta` does not travel',
  eval: 'direct `eval(…)` is not available to tasks; `(0, eval)(text)` is',
};

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
