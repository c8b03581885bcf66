// Makes one ES module of a function and the values that are sent along with it.

import { ProgramError } from '../errors.ts';
import { jsonFault } from '../json-fault.ts';
import { type AnyFunction, functionSource, isName } from './function-source.ts';

/** Throws a `ProgramError` when a part of it cannot be sent. */
export function pack(task: AnyFunction, along: Readonly<Record<string, unknown>>): string {
  const brought = new Set(Object.keys(along));
  const main = functionSource(task, named(task), brought);
  return `${declarations(along, brought)}export default ${main};\n`;
}

/** The same for a program that is the text of a module: the values are declared before it. */
export function packSource(source: string, along: Readonly<Record<string, unknown>>): string {
  return `${declarations(along, new Set(Object.keys(along)))}${source}`;
}

function named({ name }: AnyFunction): string {
  return name === '' ? 'The function' : `The function "${name}"`;
}

function declarations(
  along: Readonly<Record<string, unknown>>,
  brought: ReadonlySet<string>,
): string {
  return Object.entries(along)
    .map(([name, value]) => {
      if (!isName(name)) throw refusal(`"${name}" is not a name that a variable can have`);
      const what = `The function "${name}" of \`with\``;
      return `const ${name} = ${typeof value === 'function' ? functionSource(value, what, brought) : literal(name, value)};\n`;
    })
    .join('');
}

/** The value is parsed as JSON where it runs: in a literal, the key "__proto__" has another meaning. */
function literal(name: string, value: unknown): string {
  const fault = jsonFault(value, name);
  if (fault !== null) throw refusal(fault);
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

function refusal(message: string): ProgramError {
  return new ProgramError('What `with` brings along', [
    { name: null, line: null, column: null, message },
  ]);
}
