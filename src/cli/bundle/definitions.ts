// What stands behind a name of a bundle's top level.

import type { Scope, ScopeManager, Variable } from 'eslint-scope';
import type { Identifier, Node } from 'estree';

/** The variable of this name at the top level of the module. */
export function topLevelVariable(name: string, scopes: ScopeManager): Variable | undefined {
  const module: Scope | undefined = scopes.globalScope?.childScopes[0];
  return module?.set.get(name);
}

/** What a name of the bundle's top level is declared as. */
export function definitionOf({ name }: Identifier, scopes: ScopeManager): Node | undefined {
  const definition = topLevelVariable(name, scopes)?.defs[0];
  if (definition === undefined) return undefined;
  const node = definition.node as unknown as Node;
  return node.type === 'VariableDeclarator' ? (node.init ?? undefined) : node;
}
