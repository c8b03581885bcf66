// Makes one ES module of a function and the values that are sent along with it.

import { ProgramError } from '../errors.ts';
import { jsonFault } from '../json-fault.ts';
import { type AnyFunction, functionSource, isName } from './function-source.ts';
import { bundled } from './packages.ts';

/** The module that is sent, bundled where it imports packages. Rejects with a `ProgramError`. */
export async function packProgram(
  program: AnyFunction | string,
  along: Readonly<Record<string, unknown>>,
): Promise<string> {
  const packages = new Set<string>();
  if (typeof program === 'string') {
    const module = packSource(program, along, packages);
    return bundled(module, packages, 'What `with` brings along');
  }
  const module = pack(program, along, packages);
  return bundled(module, packages, named(program));
}

/** Throws a `ProgramError` when a part of it cannot be sent. */
export function pack(
  task: AnyFunction,
  along: Readonly<Record<string, unknown>>,
  packages: Set<string> = new Set(),
): string {
  const brought = new Set(Object.keys(along));
  const main = functionSource(task, named(task), brought, packages);
  return `${declarations(along, brought, packages)}export default ${main};\n`;
}

/** The same for a program that is the text of a module: the values are declared before it. */
export function packSource(
  source: string,
  along: Readonly<Record<string, unknown>>,
  packages: Set<string> = new Set(),
): string {
  return `${declarations(along, new Set(Object.keys(along)), packages)}${source}`;
}

function named({ name }: AnyFunction): string {
  return name === '' ? 'The function' : `The function "${name}"`;
}

function declarations(
  along: Readonly<Record<string, unknown>>,
  brought: ReadonlySet<string>,
  packages: Set<string>,
): string {
  return Object.entries(along)
    .map(([name, value]) => {
      if (!isName(name)) throw refusal(`"${name}" is not a name that a variable can have`);
      const what = `The function "${name}" of \`with\``;
      return `const ${name} = ${typeof value === 'function' ? functionSource(value, what, brought, packages) : literal(name, value)};\n`;
    })
    .join('');
}

/**
 * The value is parsed as JSON where it runs: in a literal, the key "__proto__" has another meaning. Another value
 * may be called JSON.
 */
function literal(name: string, value: unknown): string {
  const fault = jsonFault(value, name);
  if (fault !== null) throw refusal(fault);
  return `globalThis.JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

function refusal(message: string): ProgramError {
  return new ProgramError('What `with` brings along', [
    { name: null, line: null, column: null, message },
  ]);
}
