// Finds what in a bundled program cannot run on another device: names that exist only here, modules
// that only Node has, an `import(…)` whose module is known only at run time, a default export that is
// not a function.

import type { Scope, ScopeManager } from 'eslint-scope';
import type { Function as FunctionNode, Identifier, Node, Program } from 'estree';
import { walk } from 'estree-walker';
import { parseAst } from 'rolldown/parseAst';
import {
  type Capture,
  capturesIn,
  type CapturingSyntax,
  scopesOf,
  thisIn,
} from '../../client/packing/captures.ts';
import { belongsElsewhere } from '../../client/packing/sandbox-globals.ts';

export type Finding =
  | {
      readonly type: 'code';
      /** Offset in the bundled source, in UTF-16 units; null when the finding has no place. */
      readonly offset: number | null;
      readonly sentence: string;
    }
  /** A module that the bundle still imports. */
  | { readonly type: 'module'; readonly offset: number; readonly specifier: string };

const EXAMPLE = 'write `export default function (input, task) { … }`';

/** Findings in the order of the source; none when the program can run on another device. */
export function findingsIn(source: string, brought: readonly string[] = []): readonly Finding[] {
  const program = parseAst(source, {
    lang: 'js',
    sourceType: 'module',
    range: true,
    preserveParens: false,
  }) as unknown as Program;
  const scopes = scopesOf(program);
  const found = [
    ...capturesIn(program, scopes, brought).map(findingOf),
    ...brought.flatMap((name) => definedTwice(name, scopes)),
    ...modules(program),
    ...strangeSyntax(program),
    ...defaultExport(program, scopes),
  ];
  return found.toSorted((one, other) => (one.offset ?? 0) - (other.offset ?? 0));
}

/** A name that is sent along and that the program defines itself. */
function definedTwice(name: string, scopes: ScopeManager): readonly Finding[] {
  const module: Scope | undefined = scopes.globalScope?.childScopes[0];
  const node = module?.set.get(name)?.identifiers[0];
  if (node === undefined) return [];
  const sentence = `"${name}" is sent along, and the program defines it, too`;
  return [{ type: 'code', offset: startOf(node), sentence }];
}

function findingOf({ kind, name, node }: Capture): Finding {
  const sentence = kind === 'name' ? freeSentence(name) : SENTENCES[kind];
  return { type: 'code', offset: startOf(node), sentence };
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
    elsewhere ?? 'define or import it in the program, or pass it as a part of the input';
  return `"${name}" does not exist where tasks run: ${advice}`;
}

function modules({ body }: Program): readonly Finding[] {
  return body
    .filter((node) => node.type === 'ImportDeclaration')
    .map((node) => ({
      type: 'module',
      offset: startOf(node),
      specifier: String(node.source.value),
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
      if (sentence !== undefined) found.push({ type: 'code', offset: startOf(node), sentence });
    },
  });
  return found;
}

function defaultExport(program: Program, scopes: ScopeManager): readonly Finding[] {
  const exported = defaultNode(program);
  if (exported === undefined) {
    const sentence = `the program has no default export: ${EXAMPLE}`;
    return [{ type: 'code', offset: null, sentence }];
  }
  const node = exported.type === 'Identifier' ? definitionOf(exported, scopes) : exported;
  if (node === undefined) return []; // Known only at run time: the sandbox will check it.
  if (isFunction(node)) return thisIn(node).map(findingOf);
  const kind = kindOf(node);
  if (kind === undefined) return [];
  const sentence = `the default export is ${kind}, not a function: ${EXAMPLE}`;
  return [{ type: 'code', offset: startOf(node), sentence }];
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

function definitionOf({ name }: Identifier, scopes: ScopeManager): Node | undefined {
  const module: Scope | undefined = scopes.globalScope?.childScopes[0];
  const definition = module?.set.get(name)?.defs[0];
  if (definition === undefined) return undefined;
  const node = definition.node as unknown as Node;
  return node.type === 'VariableDeclarator' ? (node.init ?? undefined) : node;
}

function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
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
