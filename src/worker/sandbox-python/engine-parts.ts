// Parts of the engine that the interpreter needs and that the lock takes off the global object. They are taken
// when this module is loaded: whoever starts a child for Python imports it before the realm is locked.

import { harden } from '../sandbox/realm.ts';

/** What is used here of a coder of text, as every platform has it. */
interface NativeDecoder {
  decode(bytes?: ArrayBufferView, options?: { readonly stream?: boolean }): string;
}
interface DecoderOptions {
  readonly fatal?: boolean;
  readonly ignoreBOM?: boolean;
}
interface NativeEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
}

interface Engine {
  readonly WebAssembly: Readonly<Record<string, unknown>>;
  readonly FinalizationRegistry: unknown;
  readonly WeakRef: unknown;
  readonly TextDecoder: new (label?: string, options?: DecoderOptions) => NativeDecoder;
  readonly TextEncoder: new () => NativeEncoder;
}

const { WebAssembly, FinalizationRegistry, WeakRef, TextDecoder, TextEncoder } =
  globalThis as unknown as Engine;
const { setPrototypeOf, freeze } = Object;

export const nativeText = { Decoder: TextDecoder, Encoder: TextEncoder };

/** Without what takes a response of the network, and without the switching of stacks. */
const used = `
  Module Instance Memory Table Global Tag Exception
  compile instantiate validate CompileError LinkError RuntimeError
`
  .trim()
  .split(/\s+/);

/** Frozen: these are classes of the host that a compartment gets. */
export interface LockedParts {
  readonly WebAssembly: object;
  readonly FinalizationRegistry: unknown;
  readonly WeakRef: unknown;
}

/** After the lock. */
export function lockParts(): LockedParts {
  // Its constructors of errors inherit from the engine's own `Error`, whose hooks see every error of the realm.
  for (const name of ['CompileError', 'LinkError', 'RuntimeError']) {
    setPrototypeOf(WebAssembly[name], Error.prototype.constructor);
  }
  const parts = used.filter((name) => name in WebAssembly).map((name) => [name, WebAssembly[name]]);
  const module: object = freeze(Object.fromEntries(parts));
  return harden({ WebAssembly: module, FinalizationRegistry, WeakRef });
}
