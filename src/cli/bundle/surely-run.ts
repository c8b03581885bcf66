// Finds the names that a bundle certainly uses when it is loaded: in what runs whatever happens, from the
// first statement on. What stands behind a condition, in a function that nobody calls at once, or behind a
// statement that may leave, is not certain.

import type { ScopeManager } from 'eslint-scope';
import type { Function as FunctionNode, Identifier, Node, Program } from 'estree';
import { walk } from 'estree-walker';
import { definitionOf } from './definitions.ts';

const LEAVES = new Set([
  'ReturnStatement',
  'ThrowStatement',
  'BreakStatement',
  'ContinueStatement',
]);

/** The identifiers whose value is called, constructed or read from for certain: undefined would throw. */
export function surelyUsed(program: Program, scopes: ScopeManager): ReadonlySet<Node> {
  const run = new SureRun(scopes);
  run.statements(program.body);
  return run.used;
}

class SureRun {
  readonly used = new Set<Node>();
  readonly #entered = new Set<Node>();
  readonly #scopes: ScopeManager;

  constructor(scopes: ScopeManager) {
    this.#scopes = scopes;
  }

  /** Returns whether what follows is certain to run as well. */
  statements(nodes: readonly Node[]): boolean {
    return nodes.every((node) => this.#statement(node));
  }

  #statement(node: Node): boolean {
    switch (node.type) {
      case 'BlockStatement':
        return this.statements(node.body);
      case 'FunctionDeclaration':
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'EmptyStatement':
        return true;
      case 'ExportNamedDeclaration':
        return !node.declaration || this.#statement(node.declaration);
      case 'ExportDefaultDeclaration':
        this.#expression(node.declaration as Node);
        return true;
      case 'ReturnStatement':
      case 'ThrowStatement':
        if (node.argument) this.#expression(node.argument);
        return false;
      case 'IfStatement':
        this.#expression(node.test);
        return !mayLeave(node);
      case 'SwitchStatement':
        this.#expression(node.discriminant);
        return !mayLeave(node);
      case 'ForStatement':
        if (node.init) this.#expression(node.init);
        return !mayLeave(node);
      case 'ForInStatement':
      case 'ForOfStatement':
        this.#expression(node.right);
        return !mayLeave(node);
      case 'WhileStatement':
        this.#expression(node.test);
        return !mayLeave(node);
      case 'DoWhileStatement':
      case 'LabeledStatement':
        return !mayLeave(node);
      case 'TryStatement':
        // With a handler, what throws is caught.
        return node.handler ? !mayLeave(node) : this.#statement(node.block);
      case 'BreakStatement':
      case 'ContinueStatement':
        return false;
      default:
        this.#expression(node);
        return true;
    }
  }

  #expression(root: Node): void {
    const enter = this.#enter.bind(this);
    walk(root, {
      enter(node, parent) {
        if (enter(node, parent)) this.skip();
      },
    });
  }

  /** Returns true when nothing further of the node is certain. */
  #enter(node: Node, parent: Node | null): boolean {
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
      case 'ChainExpression':
        return true;
      case 'AssignmentPattern':
        return true;
      case 'LogicalExpression':
        this.#expression(node.left);
        return true;
      case 'ConditionalExpression':
        this.#expression(node.test);
        return true;
      case 'AssignmentExpression':
        return /^(?:&&|\|\||\?\?)=$/.test(node.operator);
      case 'ClassDeclaration':
      case 'ClassExpression':
        if (node.superClass) this.#expression(node.superClass);
        return true;
      case 'CallExpression': {
        for (const part of [node.callee, ...node.arguments]) this.#part(part, node);
        this.#call(node.callee);
        return true;
      }
      case 'Identifier':
        if (parent !== null && throwsWithout(node, parent)) this.used.add(node);
        return false;
      default:
        return false;
    }
  }

  /** A part of a call: the walk of it begins anew, and would not see its parent. */
  #part(part: Node, parent: Node): void {
    if (part.type === 'Identifier') this.#enter(part, parent);
    else this.#expression(part);
  }

  #call(callee: Node): void {
    const body = this.#calledFunction(callee);
    if (body === undefined || this.#entered.has(body)) return;
    this.#entered.add(body);
    if (body.async === true || body.generator === true) return;
    if (body.body.type === 'BlockStatement') this.statements(body.body.body);
    else this.#expression(body.body);
  }

  /** The function that a call runs: written in place, declared, or a module that the bundler wrapped. */
  #calledFunction(callee: Node): FunctionNode | undefined {
    if (isFunction(callee)) return callee;
    if (callee.type === 'MemberExpression' && isFunction(callee.object)) {
      const { property } = callee;
      const isCall = property.type === 'Identifier' && /^(?:call|apply)$/.test(property.name);
      return isCall ? callee.object : undefined;
    }
    if (callee.type !== 'Identifier') return wrappedModule(callee);
    const definition = definitionOf(callee, this.#scopes);
    if (definition === undefined) return undefined;
    return isFunction(definition) ? definition : wrappedModule(definition);
  }
}

/** The function around a module that the bundler loads when it is first asked for. */
function wrappedModule(node: Node): FunctionNode | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return undefined;
  const [wrapped] = node.arguments;
  const isWrapper = /^__(?:commonJS|esm)(?:Min)?$/.test(node.callee.name);
  return isWrapper && wrapped !== undefined && isFunction(wrapped) ? wrapped : undefined;
}

function throwsWithout(node: Identifier, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent.object === node && !parent.optional;
  if (parent.type === 'CallExpression') return parent.callee === node && !parent.optional;
  return parent.type === 'NewExpression' && parent.callee === node;
}

function mayLeave(root: Node): boolean {
  let leaves = false;
  walk(root, {
    enter(node) {
      if (isFunction(node)) this.skip();
      else if (LEAVES.has(node.type)) leaves = true;
    },
  });
  return leaves;
}

export function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

/** The nodes of a kind inside of a `try` that catches what they throw, in the same function. */
export function caughtNames(program: Program): ReadonlySet<Node> {
  const caught = new Set<Node>();
  const depths = [0];
  walk(program, {
    enter(node, parent) {
      if (isFunction(node)) depths.push(0);
      if (isCatchingBlock(node, parent)) depths[depths.length - 1]! += 1;
      if (node.type === 'Identifier' && depths.at(-1)! > 0) caught.add(node);
    },
    leave(node, parent) {
      if (isCatchingBlock(node, parent)) depths[depths.length - 1]! -= 1;
      if (isFunction(node)) depths.pop();
    },
  });
  return caught;
}

function isCatchingBlock(node: Node, parent: Node | null): boolean {
  return parent?.type === 'TryStatement' && parent.block === node && parent.handler !== null;
}
