// Makes sentences of what keeps functions from travelling. A name that a minifier has made is of no use to
// whoever reads of it, and may even be a key of `with` that stands for something else: no value is matched
// with such a name. What is sent along is taken from the third parameter then, as keys keep their names.

import type { Pattern } from 'estree';
import { ProgramError, type ProgramProblem } from '../errors.ts';
import { type Capture, capturesIn, type CapturingSyntax, scopesOf, thisIn } from './captures.ts';
import type { FunctionSource } from './function-source.ts';
import { isSdkMinified, isShort } from './minified.ts';
import { packageNamed } from './packages.ts';
import { belongsElsewhere } from './sandbox-globals.ts';

/** Throws a `ProgramError` about the first of the functions that cannot travel. */
export function assertTravels(
  /** Null: the program is the text of a module. */
  main: FunctionSource | null,
  helpers: readonly FunctionSource[],
  /** Names of what is sent along. */
  keys: readonly string[],
): void {
  const functions = main === null ? helpers : [main, ...helpers];
  const captures = new Map(functions.map((each) => [each, capturesOf(each, keys.length > 0)]));
  const used = new Set([...captures.values()].flat().map(({ name }) => name));
  const isEveryKeyUsed = keys.every((key) => used.has(key));
  for (const each of functions) {
    const names: Names = {
      keys,
      isDoubtful: (name) =>
        each.isMinified && isShort(name) && (!isEveryKeyUsed || isSdkMinified()),
    };
    const problems = problemsIn(each, captures.get(each)!, names);
    if (problems.length > 0) throw new ProgramError(each.what, problems);
  }
}

interface Names {
  readonly keys: readonly string[];
  /** Whether a key of `with` may stand for something else where the function uses it. */
  readonly isDoubtful: (name: string) => boolean;
}

/** Whoever asks for a name that a minifier has made asks for something that was sent along, by its old name. */
function capturesOf(
  { program, node, isMinified }: FunctionSource,
  hasKeys: boolean,
): readonly Capture[] {
  const mayBeMissing = (name: string) => !(isMinified && hasKeys && isShort(name));
  return [...capturesIn(program, scopesOf(program), [], mayBeMissing), ...thisIn(node)];
}

/** In the order of the source. */
function problemsIn(
  source: FunctionSource,
  captures: readonly Capture[],
  names: Names,
): readonly ProgramProblem[] {
  const { keys, isDoubtful } = names;
  const found = captures
    .filter(({ node }) => packageNamed(node) === undefined)
    .filter(({ name }) => !keys.includes(name) || isDoubtful(name))
    .toSorted((one, other) => one.node.range![0] - other.node.range![0]);
  const others = found.some(({ kind, name }) => kind === 'name' && isRenamed(name, source, keys));
  const problems = found.map((capture) => problemOf(capture, source, keys, others));
  if (others) problems.push(withoutPlace(null, `${renaming(source)} ${wayOut(source, keys)}`));
  return source.key === null ? [...problems, ...missingIn(source, keys)] : problems;
}

function isRenamed(
  name: string,
  { isMinified, ownName }: FunctionSource,
  keys: readonly string[],
): boolean {
  if (name === ownName || name === 'arguments' || belongsElsewhere(name) !== undefined)
    return false;
  // Without `with`, it may as well be the style of whoever wrote it.
  if (isMinified) return keys.length > 0 || isSdkMinified();
  // Bundlers put an object in the place of what is imported, and number names that two modules have.
  if (/__(?:WEBPACK_IMPORT|vi_import|vite_ssr_import)/.test(name)) return true;
  return keys.some((key) => name.startsWith(key) && /^[$_]?\d+$/.test(name.slice(key.length)));
}

function problemOf(
  { kind, name, node }: Capture,
  { ownName }: FunctionSource,
  keys: readonly string[],
  hasOtherNames: boolean,
): ProgramProblem {
  const { line, column } = node.loc!.start;
  const message =
    kind !== 'name'
      ? SENTENCES[kind]
      : keys.includes(name)
        ? `"${name}" may be another value than the one that \`with\` calls so`
        : freeSentence(name, ownName, hasOtherNames);
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

function freeSentence(name: string, ownName: string, hasOtherNames: boolean): string {
  if (name === 'arguments')
    return '"arguments" is not there in an arrow function: name what it gets';
  const elsewhere = belongsElsewhere(name);
  if (elsewhere !== undefined) return `"${name}" does not exist where tasks run: ${elsewhere}`;
  if (name === ownName) {
    return `"${name}" does not travel: to call itself, write it as \`function ${name}(…) { … }\``;
  }
  if (hasOtherNames) return `"${name}" is defined outside of it and does not travel`;
  return `"${name}" is defined outside of it and does not travel: send it along with { with: { ${name} } }, or make it a part of the input`;
}

function renaming({ isMinified }: FunctionSource): string {
  return isMinified
    ? 'it looks minified: a minifier has renamed what it refers to, and not the keys of `with`, so'
    : 'a bundler has renamed what it refers to, and not the keys of `with`, so';
}

/** The form that works wherever it is built. */
function wayOut({ key }: FunctionSource, keys: readonly string[]): string {
  const names = (keys.length === 0 ? ['helper'] : keys).join(', ');
  if (key === null) {
    return `take what is sent along from the third parameter: muster.map(inputs, (input, task, { ${names} }) => …, { with: { ${names} } })`;
  }
  const others = keys.filter((each) => each !== key).join(', ') || 'value';
  return `hand it what it needs, as in const ${key} = (input, { ${others} }) => … and ${key}(input, { ${others} })`;
}

/** What the third parameter is taken apart for, and is not sent along. */
function missingIn({ node }: FunctionSource, keys: readonly string[]): readonly ProgramProblem[] {
  return namesAskedFor(node.params[2])
    .filter((name) => !keys.includes(name))
    .map((name) =>
      withoutPlace(
        name,
        `"${name}" is asked for in its third parameter and not sent along: add it to { with: { ${name} } }`,
      ),
    );
}

function namesAskedFor(pattern: Pattern | undefined): readonly string[] {
  if (pattern?.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.computed) return [];
    if (property.value.type === 'AssignmentPattern') return [];
    const { key } = property;
    return key.type === 'Identifier' ? [key.name] : [];
  });
}

function withoutPlace(name: string | null, message: string): ProgramProblem {
  return { name, line: null, column: null, message };
}
