// Forms of functions that what is sent along does not come to.

import type { ScopeManager } from 'eslint-scope';
import type { Function as FunctionNode } from 'estree';

/** Whether it takes what it is given by rest parameters or by its own `arguments`, which have two values. */
export function isAskedForElsewhere(node: FunctionNode, scopes: ScopeManager): boolean {
  if (node.params.slice(0, 3).some(({ type }) => type === 'RestElement')) return true;
  const own = scopes.acquire(node, true)?.set.get('arguments');
  return own !== undefined && own.references.length > 0;
}

/** `function (…) { return other.apply(this, arguments); }` */
export function handsItsCallOn({ body }: FunctionNode): boolean {
  if (body.type !== 'BlockStatement' || body.body.length !== 1) return false;
  const [statement] = body.body;
  const call = statement?.type === 'ReturnStatement' ? statement.argument : null;
  if (call?.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return false;
  const { property } = call.callee;
  const [self, given] = call.arguments;
  return (
    property.type === 'Identifier' &&
    property.name === 'apply' &&
    self?.type === 'ThisExpression' &&
    given?.type === 'Identifier' &&
    given.name === 'arguments'
  );
}
