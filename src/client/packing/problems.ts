// Makes sentences of what keeps functions from travelling. A name that a minifier has made is of no use to
// whoever reads of it, and may even be a key of `with` that stands for something else: no value is matched
// with such a name. What is sent along is taken from the third parameter then, as keys keep their names.

import type { Program } from 'estree';
import { ProgramError, type ProgramProblem } from '../errors.ts';
import { type Capture, capturesIn, type CapturingSyntax, scopesOf, thisIn } from './captures.ts';
import { type Doubt, doubtOf, type Examined, mayBeMangled, usesOf } from './doubts.ts';
import type { FunctionSource } from './function-source.ts';
import { askedFor, takesAlong } from './handing.ts';
import { hasOwnNames, isSdkMinified, isShort } from './minified.ts';
import { packageNamed } from './packages.ts';
import { belongsElsewhere } from './sandbox-globals.ts';
import { handsItsCallOn, isAskedForElsewhere } from './shapes.ts';

/** Throws a `ProgramError` about the first of the functions that cannot travel. */
export function assertTravels(
  /** A function, or a program whose text is sent as it is. */
  main: FunctionSource | Program,
  helpers: readonly FunctionSource[],
  /** Names of what is sent along; null without `with`. */
  given: readonly string[] | null,
): void {
  const keys = given ?? [];
  const functions = 'program' in main ? [main, ...helpers] : helpers;
  const inText = 'program' in main || helpers.length === 0 ? [] : namesOutside(main);
  const all = functions.map((each) => examined(each, keys));
  const uses = usesOf(keys, all, inText);
  for (const each of all) {
    const problems = problemsIn(each, {
      keys,
      isGiven: given !== null,
      unused: uses.unused,
      doubt: doubtOf(each, keys, uses),
    });
    if (problems.length > 0) throw new ProgramError(each.source.what, problems);
  }
}

/** Names that the text of a module does not declare itself. */
function namesOutside(program: Program): readonly string[] {
  return capturesIn(program, scopesOf(program), [], () => false).map(({ name }) => name);
}

interface Along {
  readonly keys: readonly string[];
  readonly isGiven: boolean;
  readonly unused: readonly string[];
  /** Why a short key may stand for something else where the function uses it. */
  readonly doubt: Doubt | null;
}

function examined(source: FunctionSource, keys: readonly string[]): Examined {
  const { program, node } = source;
  const scopes = scopesOf(program);
  const known = { source, scopes, hasOwnNames: hasOwnNames(scopes) };
  // Whoever asks for a name that a minifier has made asks for something that was sent along, by its old name.
  const mayBeAnyones = keys.length > 0 && mayBeMangled(known);
  const mayBeMissing = (name: string) => !keys.includes(name) && !(mayBeAnyones && isShort(name));
  const captures = [...capturesIn(program, scopes, [], mayBeMissing), ...thisIn(node)];
  return { ...known, captures };
}

/** In the order of the source. */
function problemsIn(each: Examined, along: Along): readonly ProgramProblem[] {
  const { source, captures } = each;
  const { keys, doubt } = along;
  const isDoubtful = (name: string) => doubt !== null && isShort(name);
  const found = captures
    .filter(({ node }) => packageNamed(node) === undefined)
    .filter(({ name }) => !keys.includes(name) || isDoubtful(name))
    .toSorted((one, other) => one.node.range![0] - other.node.range![0]);
  const renamed = found.filter(({ kind, name }) => kind === 'name' && isRenamed(name, each, along));
  const problems = found.map((capture) => problemOf(capture, each, along, renamed.length > 0));
  if (handsItsCallOn(source.node) && problems.length > 0) {
    problems.push(withoutPlace(null, REWRITTEN));
  } else if (renamed.length > 0) {
    problems.push(withoutPlace(null, advice(each, along, renamed)));
  }
  return source.key === null ? [...problems, ...missingIn(each, along)] : problems;
}

/** Whether the name may be another than the one that was written. */
function isRenamed(name: string, each: Examined, { keys, doubt }: Along): boolean {
  const { isMinified, ownName } = each.source;
  if (keys.includes(name)) return doubt !== null;
  if (name === ownName || name === 'arguments' || belongsElsewhere(name) !== undefined)
    return false;
  // Without `with`, it may as well be the style of whoever wrote it.
  if (mayBeMangled(each) && (isMinified || isShort(name)))
    return keys.length > 0 || isSdkMinified();
  // Bundlers put an object in the place of what is imported, and number names that two modules have.
  if (/__(?:WEBPACK_IMPORT|vi_import|vite_ssr_import)/.test(name)) return true;
  return keys.some((key) => name.startsWith(key) && /^[$_]?\d+$/.test(name.slice(key.length)));
}

function problemOf(
  { kind, name, node }: Capture,
  each: Examined,
  { keys }: Along,
  hasOtherNames: boolean,
): ProgramProblem {
  const { line, column } = node.loc!.start;
  const message =
    kind !== 'name'
      ? SENTENCES[kind]
      : keys.includes(name)
        ? `"${name}" may be another value than the one that \`with\` calls so`
        : freeSentence(name, each, hasOtherNames);
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

function freeSentence(name: string, each: Examined, hasOtherNames: boolean): string {
  if (name === 'arguments')
    return '"arguments" is not there in an arrow function: name what it gets';
  const elsewhere = belongsElsewhere(name);
  if (elsewhere !== undefined) return `"${name}" does not exist where tasks run: ${elsewhere}`;
  if (name === each.source.ownName) {
    return `"${name}" does not travel: to call itself, write it as \`function ${name}(…) { … }\``;
  }
  const outside = `"${name}" is defined outside of it and does not travel`;
  if (hasOtherNames || handsItsCallOn(each.source.node)) return outside;
  // With a name that is a minifier's, whoever wrote the function can do nothing.
  const sending =
    isShort(name) && mayBeMangled(each)
      ? 'send it along and take it from the third parameter, (input, task, { value }) => …'
      : `send it along with { with: { ${name} } }`;
  return `${outside}: ${sending}, or make it a part of the input`;
}

const REWRITTEN =
  'it hands its call on to another function: bundlers make that of async functions for an old target, such as es2015; build for es2022 or newer';

/** The form that works wherever it is built, and why it takes that. */
function advice(each: Examined, along: Along, renamed: readonly Capture[]): string {
  const { source } = each;
  const { keys, unused, doubt } = along;
  const isOneOfThem = renamed.some(({ name }) => keys.includes(name));
  const isMinified = (source.isMinified && mayBeMangled(each)) || isSdkMinified();
  if (source.key === null && !isOneOfThem && takesAlong(source) && unused.length === 0) {
    return (
      `${isMinified ? 'it looks minified, and ' : 'it '}takes what is sent along from its third parameter: what is left is something ` +
      'that is not sent along, or what a bundler adds for an old target, such as es2015; then build for es2022 or newer'
    );
  }
  return `${reason(isMinified, isOneOfThem ? doubt : null, renamed)}, so ${wayOut(source, keys)}`;
}

function reason(isMinified: boolean, doubt: Doubt | null, renamed: readonly Capture[]): string {
  if (isMinified) {
    return 'it looks minified: a minifier has renamed what it refers to, and not the keys of `with`';
  }
  if (doubt?.kind === 'unused') {
    return `a name that short may be a minifier's, and nobody uses ${listed(doubt.keys)} of \`with\``;
  }
  return renamed.some(({ name }) => isShort(name))
    ? "a name that short may be a minifier's, which does not rename the keys of `with`"
    : 'a bundler has renamed what it refers to, and not the keys of `with`';
}

function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

function wayOut({ key }: FunctionSource, keys: readonly string[]): string {
  if (key === null) return fromThird(keys.length === 0 ? ['helper'] : keys);
  const others = keys.filter((each) => each !== key).join(', ') || 'value';
  return `hand it what it needs, as in const ${key} = (input, { ${others} }) => … and ${key}(input, { ${others} })`;
}

function fromThird(keys: readonly string[]): string {
  const names = keys.join(', ');
  return `take what is sent along from the third parameter: muster.map(inputs, (input, task, { ${names} }) => …, { with: { ${names} } })`;
}

/** What the third parameter is taken apart for and is not sent along, or is sent and does not come. */
function missingIn(
  { source, scopes }: Examined,
  { keys, unused, isGiven }: Along,
): readonly ProgramProblem[] {
  if (unused.length > 0 && isAskedForElsewhere(source.node, scopes) && !takesAlong(source)) {
    const names = unused.join(', ');
    return [
      withoutPlace(
        null,
        `what is sent along comes neither in \`arguments\` nor in rest parameters, and nobody uses ${listed(unused)}: name the third parameter, (input, task, { ${names} }) => …`,
      ),
    ];
  }
  // Its own default is in force.
  if (!isGiven && source.node.params[2]?.type === 'AssignmentPattern') return [];
  return askedFor(source)
    .filter(({ name, mayBeMissing }) => !mayBeMissing && !keys.includes(name))
    .map(({ name }) =>
      withoutPlace(
        name,
        `"${name}" is asked for in its third parameter and not sent along: add it to { with: { ${name} } }`,
      ),
    );
}

function withoutPlace(name: string | null, message: string): ProgramProblem {
  return { name, line: null, column: null, message };
}
