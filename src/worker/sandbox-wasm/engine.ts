// What is used of the engine beyond the language: WebAssembly, and the coders of texts. Taken when this module is
// loaded, which is before the realm of a child is locked: afterwards no name leads to them. Nothing of it is handed
// to a program.

/** Opaque: a module that is compiled. */
export interface CompiledModule {
  readonly compiledModule: never;
}

export interface LinearMemory {
  /** Another one after each growth; the one before is empty then. */
  readonly buffer: ArrayBuffer;
  /** Throws a RangeError when there is no room. */
  grow(pages: number): number;
}

export interface GlobalVariable {
  value: number | bigint;
}

export type ExportedFunction = (...values: readonly (number | bigint)[]) => unknown;

export interface Instance {
  /** Without a prototype, and frozen. */
  readonly exports: Readonly<Record<string, unknown>>;
}

export type ImportObject = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface WebAssemblyClasses {
  compile(bytes: Uint8Array): Promise<CompiledModule>;
  readonly Module: new (bytes: Uint8Array) => CompiledModule;
  readonly Instance: new (module: CompiledModule, imports: ImportObject) => Instance;
  readonly Memory: new (limits: {
    readonly initial: number;
    readonly maximum: number;
  }) => LinearMemory;
  readonly RuntimeError: new () => Error;
  readonly CompileError: new () => Error;
  readonly LinkError: new () => Error;
}

interface HostClasses {
  readonly WebAssembly: WebAssemblyClasses;
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (
    label: string,
    options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
  ) => { decode(bytes: Uint8Array, options?: { readonly stream: boolean }): string };
}

const { WebAssembly, TextEncoder, TextDecoder } = globalThis as unknown as HostClasses;

const { Module, Instance: NewInstance, Memory } = WebAssembly;
export const { RuntimeError, CompileError, LinkError } = WebAssembly;
const compileModule = WebAssembly.compile.bind(WebAssembly);

export function compile(bytes: Uint8Array): Promise<CompiledModule> {
  return compileModule(bytes);
}

/** At once, in this thread: for modules of our own, of some bytes. */
export function compileNow(bytes: Uint8Array): CompiledModule {
  return new Module(bytes);
}

export function instantiate(module: CompiledModule, imports: ImportObject): Instance {
  return new NewInstance(module, imports);
}

export function newMemory(initial: number, maximum: number): LinearMemory {
  return new Memory({ initial, maximum });
}

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** The coders of the engine take longer to be called than short texts of ASCII to be gone through. */
const shortText = 48;

export function toUtf8(text: string): Uint8Array {
  if (text.length <= shortText) {
    const bytes = new Uint8Array(text.length);
    let at = 0;
    for (; at < bytes.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 0x80) break;
      bytes[at] = code;
    }
    if (at === bytes.length) return bytes;
  }
  return encoder.encode(text);
}

/** Null when the bytes are no UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | null {
  if (bytes.length <= shortText) {
    let text = '';
    for (const byte of bytes) {
      if (byte >= 0x80) break;
      text += String.fromCharCode(byte);
    }
    if (text.length === bytes.length) return text;
  }
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** Takes UTF-8 in pieces; what is none becomes U+FFFD. A character may be cut by the end of a piece. */
export class TextPieces {
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

  next(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true });
  }
}
