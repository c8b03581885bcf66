// Gives a task function what is sent along with it: its third parameter gets a default, which the caller, who
// passes two arguments, leaves in force. A function around it would stand in the stacks of its errors.

import type { Node } from 'estree';
import type { FunctionSource } from './function-source.ts';

/** Whether the function asks for what is sent along. With a default, its third parameter is its own. */
export function takesAlong({ node }: FunctionSource): boolean {
  const [, , third] = node.params;
  return third?.type === 'Identifier' || third?.type === 'ObjectPattern';
}

/** The module of a function that asks for it; `keys` are the names that are declared before it. */
export function handing(main: FunctionSource, keys: readonly string[]): string {
  const [, , third] = main.node.params;
  const text = withoutDirective(main);
  const [, end] = third!.range!;
  const name = freeName(main.text, keys);
  const handed = `${text.slice(0, end)} = ${name}${text.slice(end)}`;
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
