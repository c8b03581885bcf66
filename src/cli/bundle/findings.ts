// What in a bundled program cannot travel to another device: names that only exist here, modules
// that only Node has, `import(…)` of something unknown, a default export that is no function.

import { analyze, type Scope, type ScopeManager } from 'eslint-scope';
import type { Function as FunctionNode, Identifier, Node, Program } from 'estree';
import { walk } from 'estree-walker';
import { parseAst } from 'rolldown/parseAst';
import { namesAskedFor } from '../../client/packing/asked-names.ts';
import { belongsElsewhere, sandboxGlobals } from '../../client/packing/sandbox-globals.ts';

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
  const scopes = analyze(program, {
    ecmaVersion: 2022, // Newer ones have no new kinds of scope.
    sourceType: 'module',
    ignoreEval: true, // A direct eval is a finding of its own; it must not hide the others.
  });
  const found = [
    ...freeVariables(program, scopes),
    ...untransportable(program),
    ...defaultExport(program, scopes),
  ];
  return found.toSorted((one, other) => (one.offset ?? 0) - (other.offset ?? 0));
}

/** Names that the program reads or writes and does not define. Each is told once, where it is first. */
function freeVariables(program: Program, scopes: ScopeManager): readonly Finding[] {
  const guarded = namesAskedFor(program);
  const fieldNames = accessorNames(program);
  const told = new Set<string>();
  const found: Finding[] = [];
  for (const { identifier } of scopes.globalScope?.through ?? []) {
    if (fieldNames.has(startOf(identifier as Node))) continue;
    const name = (identifier as Identifier).name;
    if (sandboxGlobals.has(name) || guarded.has(name) || told.has(name)) continue;
    told.add(name);
    found.push({
      type: 'code',
      offset: startOf(identifier as Node),
      sentence: `"${name}" does not exist where tasks run: ${advice(name)}`,
    });
  }
  return found;
}

/** Where names of `accessor` fields stand, which the analysis of scopes takes for variables. */
function accessorNames(program: Program): ReadonlySet<number> {
  const starts = new Set<number>();
  walk(program, {
    enter(node) {
      if ((node.type as string) !== 'AccessorProperty') return;
      const { key, computed } = node as unknown as { key: Node; computed: boolean };
      if (!computed) starts.add(startOf(key));
    },
  });
  return starts;
}

function untransportable(program: Program): readonly Finding[] {
  const found: Finding[] = [];
  const add = (node: Node, sentence: string) =>
    found.push({ type: 'code', offset: startOf(node), sentence });
  walk(program, {
    enter(node) {
      if (node.type === 'ImportDeclaration') {
        const specifier = String(node.source.value);
        found.push({ type: 'module', offset: startOf(node), specifier });
      }
      if (node.type === 'ImportExpression') {
        add(
          node,
          '`import(…)` is known only at run time here: import the module by its name instead',
        );
      }
      if (node.type === 'MetaProperty' && node.meta.name === 'import') {
        add(node, '`import.meta` does not travel: pass what you need as a part of the input');
      }
      const strange = strangeSyntax(node);
      if (strange !== undefined) add(node, strange);
      const isCall = node.type === 'CallExpression' && node.callee.type === 'Identifier';
      if (isCall && (node.callee as Identifier).name === 'eval') {
        add(node, 'direct `eval(…)` is not available to tasks; `(0, eval)(text)` is');
      }
    },
  });
  return found;
}

/** What the bundler knows and the sandbox's parser does not; the types of the tree know neither. */
function strangeSyntax(node: Node): string | undefined {
  switch (node.type as string) {
    case 'Decorator':
      return 'decorators (`@…`) are not available to tasks: call the function yourself';
    case 'AccessorProperty':
      return '`accessor` fields are not available to tasks: write a getter and a setter';
    default:
      return undefined;
  }
}

function defaultExport(program: Program, scopes: ScopeManager): readonly Finding[] {
  const exported = defaultNode(program);
  if (exported === undefined) {
    const sentence = `the program has no default export: ${EXAMPLE}`;
    return [{ type: 'code', offset: null, sentence }];
  }
  const node = exported.type === 'Identifier' ? definitionOf(exported, scopes) : exported;
  if (node === undefined) return []; // Computed: the sandbox will see what it is.
  if (isFunction(node)) return thisIn(node);
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

/** Why a name is not there, and what to do. */
function advice(name: string): string {
  const elsewhere = belongsElsewhere(name);
  return elsewhere ?? 'define or import it in the program, or pass it as a part of the input';
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

/** `this` of the task function itself; functions and classes inside it have their own. */
function thisIn(task: FunctionNode): readonly Finding[] {
  const found: Finding[] = [];
  walk(task, {
    enter(node) {
      const hasOwnThis =
        node.type === 'FunctionDeclaration' ||
        node.type === 'FunctionExpression' ||
        node.type === 'ClassBody';
      if (hasOwnThis && node !== task) this.skip();
      if (node.type !== 'ThisExpression' || found.length > 0) return;
      found.push({
        type: 'code',
        offset: startOf(node),
        sentence: '`this` is undefined in a task function: it gets `input` and `task`',
      });
    },
  });
  return found;
}

function startOf(node: Node): number {
  return (node as unknown as { start: number }).start;
}
