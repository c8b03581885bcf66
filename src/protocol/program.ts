// Programs, which clients submit to be run. Schemas, messages and workers take the kinds from here;
// CONTRIBUTING.md says how another one is added.

export type Program = JavaScriptProgram | WasmProgram | PythonProgram | CommandProgram;

/** The words by which programs are told apart; a kind of a worker says of a command which one it is. */
export const programWords = ['javascript', 'wasm', 'python', 'command'] as const;

/** What a job needs and a worker offers. */
export type ProgramKind = 'javascript' | 'wasm' | 'python' | `command:${string}`;

export interface JavaScriptProgram {
  readonly kind: 'javascript';
  /** An ES module whose default export is the task function. */
  readonly source: string;
}

/** Bytes that were uploaded before, by the SHA-256 of them. */
export interface NamedBytes {
  readonly $blob: string;
}

export type ProgramFiles = Readonly<Record<string, NamedBytes>>;

/** A WebAssembly module: with `_start` an ordinary program of WASI, else one that is called. */
export interface WasmProgram {
  readonly kind: 'wasm';
  readonly module: NamedBytes;
  /** How the input is handed over; default `json`. */
  readonly input?: (typeof wasmInputs)[number];
  /** What is made of its output; default `json`. */
  readonly output?: (typeof wasmOutputs)[number];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** By their paths, as the program sees them. */
  readonly files?: ProgramFiles;
  /** The most that its memory may grow to. */
  readonly memory_mb?: number;
}

export const wasmInputs = ['json', 'text', 'bytes'] as const;
export const wasmOutputs = ['json', 'text', 'lines', 'bytes'] as const;

/** One module of Python. */
export interface PythonProgram {
  readonly kind: 'python';
  readonly source: string;
  /** The function that is called for each task; default `run`. */
  readonly function?: string;
  /** Wheels, installed in this order before the module is executed. */
  readonly packages?: readonly { readonly name: string; readonly content: NamedBytes }[];
}

/** An executable that the owner of a worker has listed under this name. */
export interface CommandProgram {
  readonly kind: 'command';
  readonly command: string;
  /** Templates: `{input.frame}`, `{index}`, `{file:name}` … (`command-template.ts`). */
  readonly args?: readonly string[];
  /** `input` (default), `none`, or a template. */
  readonly stdin?: string;
  /** What is made of its output; default `json`. */
  readonly result?: (typeof commandResults)[number];
  /** Files that it leaves behind: templates of names. */
  readonly outputs?: readonly string[];
  readonly success_codes?: readonly number[];
  readonly retry_codes?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: ProgramFiles;
  readonly grace_seconds?: number;
  /** Whether what a template inserts may begin with `-`. */
  readonly allow_dashes?: boolean;
}

export const commandResults = ['json', 'text', 'lines', 'bytes', 'none'] as const;

/** The kind of a worker that does not name its kinds, and of the tasks of a preview. */
export const defaultProgramKind: ProgramKind = 'javascript';

/** The name of a command, as its owner has listed it. */
export const commandName = /^[A-Za-z0-9._-]{1,64}$/;

/** The form of what a worker offers: `python`, `command:blender`. */
export const kindForm = /^[a-z]+(?::[A-Za-z0-9._-]{1,64})?$/;

export function kindOf(program: Program): ProgramKind {
  return program.kind === 'command' ? `command:${program.command}` : program.kind;
}

/** A blob that a program needs, and where it names it. */
export interface NamedBlob {
  readonly sha256: string;
  /** `module`, `packages[0].content`, `files["/data/model.bin"]` */
  readonly place: string;
}

const none: readonly NamedBlob[] = [];

/** In the order in which they stand there; one may be named twice. */
export function blobsNamedBy(program: Program): readonly NamedBlob[] {
  switch (program.kind) {
    case 'javascript':
      return none;
    case 'wasm':
      return [{ sha256: program.module.$blob, place: 'module' }, ...filesNamed(program.files)];
    case 'python':
      return (program.packages ?? []).map(({ content }, at) => ({
        sha256: content.$blob,
        place: `packages[${at}].content`,
      }));
    case 'command':
      return filesNamed(program.files);
  }
}

function filesNamed(files: ProgramFiles = {}): readonly NamedBlob[] {
  return Object.entries(files).map(([path, { $blob }]) => ({
    sha256: $blob,
    place: `files[${JSON.stringify(path)}]`,
  }));
}

/** The same text for the same program, in whatever order its fields came. */
export function canonicalText(program: Program): string {
  if (program.kind === 'javascript') {
    const { kind, source } = program;
    return JSON.stringify({ kind, source });
  }
  return JSON.stringify(program, (_key, value: unknown) => sorted(value));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The start of the last line of a program with a source map: names of files and places in them. */
export const mapLinkStart = '//# sourceMappingURL=data:application/json;base64,';

/** What a worker needs of a program: all but its source map, which only those use who read an error. */
export function withoutMap(source: string): string {
  const at = source.lastIndexOf(`\n${mapLinkStart}`);
  if (at < 0 || /\n[^]*\S/.test(source.slice(at + 1))) return source;
  return source.slice(0, at + 1);
}
