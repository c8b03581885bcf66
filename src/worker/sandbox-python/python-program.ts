// A program in Python as it was submitted.

import { GuestFault, type GuestSource } from '../sandbox/guest.ts';

export interface PythonProgram {
  readonly text: string;
  readonly functionName: string;
  /** In the order in which they are installed. */
  readonly packages: readonly Wheel[];
}

export interface Wheel {
  /** Its file name, which says for what it is made. */
  readonly name: string;
  readonly bytes: () => Uint8Array;
}

export function readProgram({ programJson, bytesOf }: GuestSource): PythonProgram {
  const program = JSON.parse(programJson) as Readonly<Record<string, unknown>>;
  const { source, function: functionName = 'run', packages = [] } = program;
  if (typeof source !== 'string') throw invalid('`source` is not a text');
  if (typeof functionName !== 'string') throw invalid('`function` is not a text');
  if (!Array.isArray(packages)) throw invalid('`packages` is not a list');
  return {
    text: source,
    functionName,
    packages: packages.map((each, index) => readWheel(each, index, bytesOf)),
  };
}

function readWheel(value: unknown, index: number, bytesOf: GuestSource['bytesOf']): Wheel {
  const { name, content } = (value ?? {}) as { name?: unknown; content?: { $blob?: unknown } };
  const sha256 = content?.$blob;
  if (typeof name !== 'string') throw invalid(`packages[${index}] has no name`);
  if (typeof sha256 !== 'string') throw invalid(`packages[${index}] names no blob`);
  return { name, bytes: () => bytesOf(sha256) };
}

function invalid(what: string): GuestFault {
  return new GuestFault('program_invalid', `the program is not one in Python: ${what}`);
}
