// Finds what in a bundled program cannot run on another device: names that exist only here, modules
// that only Node has, an `import(…)` whose module is known only at run time, a default export that is
// not a function.

import type { ScopeManager } from 'eslint-scope';
import type { Identifier, Node, Program } from 'estree';
import { walk } from 'estree-walker';
import { parseAst } from 'rolldown/parseAst';
import {
  type Capture,
  type CapturingSyntax,
  everyCapture,
  scopesOf,
  thisIn,
} from '../../client/packing/captures.ts';
import { belongsElsewhere } from '../../client/packing/sandbox-globals.ts';
import { definitionOf, topLevelVariable } from './definitions.ts';
import { rewritten } from './rewrites.ts';
import { caughtNames, isFunction, surelyUsed } from './surely-run.ts';

export interface Finding {
  readonly type: 'name' | 'syntax' | 'export' | 'module';
  /** Offset in the bundled source, in UTF-16 units; null when the finding has no place. */
  readonly offset: number | null;
  /** The name that does not exist there, or the module that the bundle still imports. */
  readonly name: string;
  readonly sentence: string;
  /**
   * Whether it keeps the program from running: `certain` wherever it stands, `loading` when it throws as soon
   * as the program is loaded, `perhaps` when somebody comes to it, `caught` when that is in a `try`.
   */
  readonly weight: 'certain' | 'loading' | 'perhaps' | 'caught';
}

export interface Reading {
  /** In the order of the source; none when the program can run on another device. */
  readonly findings: readonly Finding[];
  /** The source with what the sandbox takes nowhere rewritten into what fails only when it is used. */
  readonly source: string;
  /** Names that something reads from or calls when the program is loaded, whatever was asked about them. */
  readonly loadingNames: ReadonlySet<string>;
}

const EXAMPLE = 'write `export default function (input, task) { … }`';

/** `brought` are names that are sent along with the program. */
export function readingOf(source: string, brought: readonly string[] = []): Reading {
  const program = parseAst(source, {
    lang: 'js',
    sourceType: 'module',
    range: true,
    preserveParens: false,
  }) as unknown as Program;
  const scopes = scopesOf(program);
  // What every object has, the global object has as well.
  const known = [...Object.getOwnPropertyNames(Object.prototype), ...brought];
  const captures = everyCapture(program, scopes, known);
  const used = surelyUsed(program, scopes);
  const caught = caughtNames(program);
  const weightOf = ({ node }: Capture) =>
    used.has(node) ? 'loading' : caught.has(node) ? 'caught' : 'perhaps';
  const findings = [
    ...captures.map((capture) => findingOf(capture, weightOf(capture))),
    ...brought.flatMap((name) => definedTwice(name, scopes)),
    ...modules(program),
    ...strangeSyntax(program),
    ...defaultExport(program, scopes),
  ].toSorted((one, other) => (one.offset ?? 0) - (other.offset ?? 0));
  const free = new Set<unknown>(scopes.globalScope?.through.map(({ identifier }) => identifier));
  const loading = [...used].filter((node) => free.has(node)) as Identifier[];
  return {
    findings,
    source: rewritten(source, captures),
    loadingNames: new Set(loading.map(({ name }) => name)),
  };
}

/** A name that is sent along and that the program defines itself. */
function definedTwice(name: string, scopes: ScopeManager): readonly Finding[] {
  const node = topLevelVariable(name, scopes)?.identifiers[0];
  if (node === undefined) return [];
  const sentence = `"${name}" is sent along, and the program defines it, too`;
  return [{ type: 'syntax', offset: startOf(node), name, sentence, weight: 'certain' }];
}

function findingOf({ kind, name, node }: Capture, weight: Finding['weight']): Finding {
  const offset = startOf(node);
  return kind === 'name'
    ? { type: 'name', offset, name, sentence: freeSentence(name), weight }
    : { type: 'syntax', offset, name: kind, sentence: SENTENCES[kind], weight };
}

const SENTENCES: Readonly<Record<CapturingSyntax, string>> = {
  this: '`this` is undefined in a task function: it gets `input` and `task`',
  import: '`import(…)` is known only at run time here: import the module by its name instead',
  'import.meta': '`import.meta` does not travel: pass what you need as a part of the input',
  eval: 'direct `eval(…)` is not available to tasks; `(0, eval)(text)` is',
};

/** Says why a name does not exist where tasks run, and what to do. */
function freeSentence(name: string): string {
  const elsewhere = belongsElsewhere(name);
  const advice =
    elsewhere ??
    'define or import it in the program, send it along (--with FILE), or pass it as a part of the input';
  return `"${name}" does not exist where tasks run: ${advice}`;
}

function modules({ body }: Program): readonly Finding[] {
  return body
    .filter((node) => node.type === 'ImportDeclaration')
    .map((node) => ({
      type: 'module',
      offset: startOf(node),
      name: String(node.source.value),
      sentence: '',
      weight: 'certain',
    }));
}

/**
 * Syntax that the bundler knows and the sandbox's parser does not; the tree's types have no names
 * for it.
 */
const STRANGE: Readonly<Record<string, string>> = {
  Decorator: 'decorators (`@…`) are not available to tasks: call the function yourself',
  AccessorProperty: '`accessor` fields are not available to tasks: write a getter and a setter',
};

function strangeSyntax(program: Program): readonly Finding[] {
  const found: Finding[] = [];
  walk(program, {
    enter(node) {
      const sentence = STRANGE[node.type];
      if (sentence === undefined) return;
      found.push({
        type: 'syntax',
        offset: startOf(node),
        name: node.type,
        sentence,
        weight: 'certain',
      });
    },
  });
  return found;
}

function defaultExport(program: Program, scopes: ScopeManager): readonly Finding[] {
  const exported = defaultNode(program);
  if (exported === undefined) {
    const sentence = `the program has no default export: ${EXAMPLE}`;
    return [exportFinding(null, sentence)];
  }
  const node = exported.type === 'Identifier' ? definitionOf(exported, scopes) : exported;
  if (node === undefined) return []; // Known only at run time: the sandbox will check it.
  if (isFunction(node)) return thisIn(node).map((capture) => findingOf(capture, 'certain'));
  const kind = kindOf(node);
  if (kind === undefined) return [];
  const sentence = `the default export is ${kind}, not a function: ${EXAMPLE}`;
  return [exportFinding(startOf(node), sentence)];
}

function exportFinding(offset: number | null, sentence: string): Finding {
  return { type: 'export', offset, name: 'default', sentence, weight: 'certain' };
}

function defaultNode(program: Program): Node | undefined {
  for (const node of program.body) {
    if (node.type === 'ExportDefaultDeclaration') return node.declaration as Node;
    if (node.type !== 'ExportNamedDeclaration') continue;
    for (const { exported, local } of node.specifiers) {
      if (exported.type === 'Identifier' && exported.name === 'default') return local;
    }
  }
  return undefined;
}

/** Names the kind of a value that is certainly not a function; undefined when that is not certain. */
function kindOf(node: Node): string | undefined {
  switch (node.type) {
    case 'ClassDeclaration':
    case 'ClassExpression':
      return 'a class';
    case 'ObjectExpression':
      return 'an object';
    case 'ArrayExpression':
      return 'an array';
    case 'Literal':
      return JSON.stringify(node.value);
    case 'TemplateLiteral':
      return 'a string';
    default:
      return undefined;
  }
}

function startOf(node: Node): number {
  return (node as unknown as { start: number }).start;
}
