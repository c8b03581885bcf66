// Makes one ES module of a function and the values that are sent along with it.

import type { Program } from 'estree';
import { ProgramError } from '../errors.ts';
import { jsonFault } from '../json-fault.ts';
import {
  type AnyFunction,
  type FunctionSource,
  functionSource,
  moduleProgram,
  isName,
  named,
} from './function-source.ts';
import { handing, takesAlong } from './handing.ts';
import { bundled, packagesIn } from './packages.ts';
import { PackedPrograms } from './packed-programs.ts';
import { assertTravels } from './problems.ts';

/** Values by name; undefined without `with`. */
type Along = Readonly<Record<string, unknown>> | undefined;

/** The module that is sent, bundled where it imports packages. Rejects with a `ProgramError`. */
export async function packProgram(program: AnyFunction | string, along: Along): Promise<string> {
  const known = along === undefined ? packed.find(program) : undefined;
  if (known !== undefined) return known;
  const packages = new Set<string>();
  const isText = typeof program === 'string';
  const module = isText ? packSource(program, along, packages) : pack(program, along, packages);
  // Packages may be others next time, and so may the values that are sent along.
  if (along === undefined && packages.size === 0) packed.keep(program, module);
  return bundled(module, packages, isText ? 'What `with` brings along' : named(program));
}

const packed = new PackedPrograms();

/** Throws a `ProgramError` when a part of it cannot be sent. */
export function pack(task: AnyFunction, along: Along, packages: Set<string> = new Set()): string {
  const main = functionSource(task, null);
  const before = declarations(main, along, packages);
  return along !== undefined && takesAlong(main)
    ? `${before}${handing(main, Object.keys(along))}`
    : `${before}export default ${main.text};\n`;
}

/** The same for a program that is the text of a module: the values are declared before it. */
export function packSource(
  source: string,
  along: Along,
  packages: Set<string> = new Set(),
): string {
  return `${declarations(moduleProgram(source), along, packages)}${source}`;
}

function declarations(main: FunctionSource | Program, along: Along, packages: Set<string>): string {
  const values = Object.entries(along ?? {}).map(
    ([name, value]) => [name, sent(name, value)] as const,
  );
  const helpers = values.map(([, value]) => value).filter((value) => typeof value === 'object');
  assertTravels(main, helpers, along === undefined ? null : Object.keys(along));
  for (const { program } of 'program' in main ? [main, ...helpers] : helpers) {
    for (const name of packagesIn(program)) packages.add(name);
  }
  return values
    .map(([name, value]) => `const ${name} = ${typeof value === 'string' ? value : value.text};\n`)
    .join('');
}

/** A function, or the expression of a value. */
function sent(name: string, value: unknown): FunctionSource | string {
  if (!isName(name)) throw refusal(`"${name}" is not a name that a variable can have`);
  return typeof value === 'function' ? functionSource(value, name) : literal(name, value);
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
