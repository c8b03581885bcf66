// Gives a task function what is sent along with it: its third parameter gets a default, which the caller, who
// passes two arguments, leaves in force. A function around it would stand in the stacks of its errors.

import type { Node, Pattern } from 'estree';
import type { FunctionSource } from './function-source.ts';

/**
 * Whether the function asks for what is sent along. A third parameter with a default is its own, but for one
 * that is taken apart: `{ vat = 5 } = {}` is how fields are asked for that may be missing.
 */
export function takesAlong({ node }: FunctionSource): boolean {
  const asked = patternOf(node.params[2]);
  return asked?.type === 'Identifier' || asked?.type === 'ObjectPattern';
}

/** Whether its third parameter has all that is sent, and not single names of it. */
export function takesAll({ node }: FunctionSource): boolean {
  const asked = patternOf(node.params[2]);
  if (asked?.type !== 'ObjectPattern') return asked?.type === 'Identifier';
  return asked.properties.some((property) => property.type === 'RestElement' || property.computed);
}

interface AskedFor {
  readonly name: string;
  readonly mayBeMissing: boolean;
}

/** The names that its third parameter is taken apart for. */
export function askedFor({ node }: FunctionSource): readonly AskedFor[] {
  const asked = patternOf(node.params[2]);
  if (asked?.type !== 'ObjectPattern') return [];
  return asked.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.computed) return [];
    const { key, value } = property;
    if (key.type !== 'Identifier') return [];
    return [{ name: key.name, mayBeMissing: value.type === 'AssignmentPattern' }];
  });
}

/** Without the default that makes way for what is sent along. */
function patternOf(third: Pattern | undefined): Pattern | undefined {
  const isTakenApart = third?.type === 'AssignmentPattern' && third.left.type === 'ObjectPattern';
  return isTakenApart ? third.left : third;
}

/** The module of a function that asks for it; `keys` are the names that are declared before it. */
export function handing(main: FunctionSource, keys: readonly string[]): string {
  const third = main.node.params[2]!;
  const text = withoutDirective(main);
  const [, from] = patternOf(third)!.range!;
  const [, to] = third.range!;
  const name = freeName(main.text, keys);
  // What stands below stays in its line.
  const lines = text.slice(from, to).replaceAll(/[^\n]/g, '');
  const handed = `${text.slice(0, from)} = ${name}${lines}${text.slice(to)}`;
  // Behind it: the places of errors are counted from the first line of the function.
  return `export default ${handed};\nconst ${name} = { ${keys.join(', ')} };\n`;
}

/** A function that says that it is strict may have no defaults. In a module it is strict anyway. */
function withoutDirective({ text, node }: FunctionSource): string {
  const statements: readonly Node[] = node.body.type === 'BlockStatement' ? node.body.body : [];
  const directive = statements.find(
    (each) => 'directive' in each && each.directive === 'use strict',
  );
  if (directive === undefined) return text;
  const [from, to] = directive.range!;
  return text.slice(0, from) + ' '.repeat(to - from) + text.slice(to);
}

/** A name that stands for nothing in the function. */
function freeName(text: string, keys: readonly string[]): string {
  let name = 'along';
  while (text.includes(name) || keys.includes(name)) name += '$';
  return name;
}
