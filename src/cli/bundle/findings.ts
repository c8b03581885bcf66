// What in a bundled program cannot travel to another device: names that only exist here, modules
// that only Node has, `import(…)` of something unknown, a default export that is no function.

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
      /** Where in the bundled source, in UTF-16 units; null when it is nowhere in particular. */
      readonly offset: number | null;
      readonly sentence: string;
    }
  /** A module that the bundle still imports. */
  | { readonly type: 'module'; readonly offset: number; readonly specifier: string };

const EXAMPLE = 'write `export default function (input, task) { … }`';

/** Findings in the order of the source; empty when the program can travel. */
export function findingsIn(source: string): readonly Finding[] {
  const program = parseAst(source, {
    lang: 'js',
    sourceType: 'module',
    range: true,
    preserveParens: false,
  }) as unknown as Program;
  const scopes = scopesOf(program);
  const found = [
    ...capturesIn(program, scopes, []).map(findingOf),
    ...modules(program),
    ...strangeSyntax(program),
    ...defaultExport(program, scopes),
  ];
  return found.toSorted((one, other) => (one.offset ?? 0) - (other.offset ?? 0));
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

/** Why a name is not there, and what to do. */
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

/** What the bundler knows and the sandbox's parser does not; the types of the tree know neither. */
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
  if (node === undefined) return []; // Computed: the sandbox will see what it is.
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

/** What a node is, as far as that is certain without running it. */
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
