// Programs of other kinds than JavaScript. What they are made of is uploaded when they are submitted: a module,
// packages, files.

import type {
  CommandProgram,
  NamedBytes,
  Program,
  PythonProgram,
  WasmProgram,
} from '../protocol/program.ts';
import { type BlobBytes, type BlobRef, putBlob } from './blobs.ts';
import type { Endpoint } from './request.ts';

/** Bytes, or a reference to a blob that was uploaded before. */
export type ProgramBytes = BlobBytes | BlobRef;

type Files = Readonly<Record<string, ProgramBytes>>;

export interface WasmOptions extends Omit<WasmProgram, 'kind' | 'module' | 'files'> {
  /** By their paths, as the program sees them. */
  readonly files?: Files;
}

export interface PythonOptions extends Omit<PythonProgram, 'kind' | 'source' | 'packages'> {
  /** Wheels, installed in this order. */
  readonly packages?: readonly { readonly name: string; readonly content: ProgramBytes }[];
}

export interface CommandOptions
  extends Omit<CommandProgram, 'kind' | 'command' | 'args' | 'files'> {
  readonly files?: Files;
}

type Put = (bytes: ProgramBytes) => Promise<NamedBytes>;

/** Made by `wasm`, `python` or `command`. */
export class ForeignProgram<in Input = never, out Output = unknown> {
  /** For the compiler alone: what it takes, and what it gives. */
  readonly runs?: (input: Input) => Output;
  readonly #made: (put: Put) => Promise<Program>;

  constructor(made: (put: Put) => Promise<Program>) {
    this.#made = made;
  }

  /** Uploads what it is made of; the program as it is submitted. */
  async upload(endpoint: Endpoint, signal?: AbortSignal): Promise<Program> {
    const options = signal === undefined ? {} : { signal };
    return this.#made(async (bytes) =>
      isReference(bytes) ? bytes : putBlob(endpoint, bytes, options),
    );
  }
}

/* oxlint-disable typescript/no-unnecessary-type-parameters -- because what such a program takes and gives only its author knows: it follows from no call that it stands in */

/** A WebAssembly module: its bytes, or from where they are fetched. */
export function wasm<Input = unknown, Output = unknown>(
  module: ProgramBytes | URL,
  options: WasmOptions = {},
): ForeignProgram<NoInfer<Input>, NoInfer<Output>> {
  const { files, ...rest } = options;
  return new ForeignProgram(async (put) => ({
    kind: 'wasm',
    module: await put(module instanceof URL ? await fetched(module) : module),
    ...rest,
    ...(await uploaded(files, put)),
  }));
}

/** A module of Python with a function `run(input, task)`. */
export function python<Input = unknown, Output = unknown>(
  source: string,
  options: PythonOptions = {},
): ForeignProgram<NoInfer<Input>, NoInfer<Output>> {
  if (typeof source !== 'string')
    throw new TypeError('The source of a program in Python is a text.');
  const { packages, ...rest } = options;
  return new ForeignProgram(async (put) => {
    const wheels: { name: string; content: NamedBytes }[] = [];
    for (const { name, content } of packages ?? [])
      wheels.push({ name, content: await put(content) });
    return {
      kind: 'python',
      source,
      ...rest,
      ...(packages === undefined ? {} : { packages: wheels }),
    };
  });
}

/** A command that the owner of a worker has listed, with templates of its arguments: `{input.frame}`. */
export function command<Input = unknown, Output = unknown>(
  name: string,
  args: readonly string[] = [],
  options: CommandOptions = {},
): ForeignProgram<NoInfer<Input>, NoInfer<Output>> {
  const { files, ...rest } = options;
  return new ForeignProgram(async (put) => ({
    kind: 'command',
    command: name,
    args,
    ...rest,
    ...(await uploaded(files, put)),
  }));
}

async function uploaded(files: Files | undefined, put: Put) {
  if (files === undefined) return {};
  const named: [string, NamedBytes][] = [];
  for (const [name, bytes] of Object.entries(files)) named.push([name, await put(bytes)]);
  return { files: Object.fromEntries(named) };
}

function isReference(bytes: ProgramBytes): bytes is BlobRef {
  return '$blob' in bytes;
}

async function fetched(url: URL): Promise<BlobBytes> {
  if (url.protocol === 'file:') {
    throw new TypeError(`${url.href} is a file: read it, and give its bytes.`);
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`The module at ${url.href} was answered with ${answer.status}.`);
  return answer.arrayBuffer();
}
