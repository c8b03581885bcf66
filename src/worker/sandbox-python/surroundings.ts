// The globals of the compartment in which the interpreter runs: what Emscripten needs of an engine's shell, the
// simplest of its environments, and nothing else. No function here hands out an object of the host; the classes that
// stand in for those of the host carry it in private fields. All is hardened but the functions on which Emscripten
// writes the signatures of their calls.

import { harden } from '../sandbox/realm.ts';
import { type LockedParts, nativeText } from './engine-parts.ts';
import { refusedEval, refusedImport } from './script-form.ts';
import type { TaskClock } from './task-clock.ts';
import { taskDate } from './task-date.ts';

export interface SurroundingPorts {
  readonly parts: LockedParts;
  readonly clock: TaskClock;
  /** Fills with random bytes of the task. */
  readonly fill: (bytes: Uint8Array) => void;
  /** A file of the interpreter, in memory of its own. */
  readonly fileOf: (path: string) => ArrayBuffer | null;
  /** What the interpreter says of itself. */
  readonly note: (line: string) => void;
}

const { freeze } = Object;

export function surroundings(ports: SurroundingPorts): Readonly<Record<string, unknown>> {
  const { parts, clock, note } = ports;
  const noted = freeze((...items: unknown[]) => note(items.map(textOf).join(' ')));
  return {
    ...parts,
    TextDecoder: harden(PlainDecoder),
    TextEncoder: harden(PlainEncoder),
    Math: openMath(),
    Date: harden(taskDate(clock)),
    performance: harden({ now: () => clock.elapsedMs() }),
    crypto: harden({ getRandomValues: (view: unknown) => fillView(view, ports.fill) }),
    console: harden({ log: noted, info: noted, warn: noted, error: noted, debug: noted }),
    // Nothing runs beside a task: what is put off never comes. They stay open, see above.
    setTimeout: () => 0,
    clearTimeout: () => {},
    queueMicrotask: () => {},
    // By these it takes the engine for a shell.
    read: freeze(() => refused()),
    load: freeze(() => refused()),
    readbuffer: freeze((path: unknown) => ports.fileOf(String(path)) ?? refused()),
    os: harden({ system: (_: unknown, args: unknown) => randomText(args, ports.fill) }),
    [refusedImport]: freeze(() => Promise.reject(new TypeError('there are no modules here'))),
    [refusedEval]: freeze(() => undefined),
  };
}

function refused(): never {
  throw new TypeError('there are no files here');
}

function textOf(item: unknown): string {
  try {
    return String(item).slice(0, 1000);
  } catch {
    return '[unprintable]';
  }
}

/** The functions of `Math` in wrappers, since Emscripten gives properties to them. */
function openMath(): object {
  const own: Record<string, unknown> = {};
  for (const name of Object.getOwnPropertyNames(Math)) {
    const value = (Math as unknown as Record<string, unknown>)[name];
    if (typeof value !== 'function') own[name] = value;
    else own[name] = (...args: unknown[]) => Reflect.apply(value, undefined, args) as unknown;
  }
  return own;
}

const byteViews = new Set(['Uint8Array', 'Int8Array', 'Uint8ClampedArray']);
const typedArrays = Object.getPrototypeOf(Uint8Array.prototype) as object;
const tagged = Object.getOwnPropertyDescriptor(typedArrays, Symbol.toStringTag)!;
const readTag = Reflect.get(tagged, 'get') as () => unknown;
const setBytes = Reflect.get(typedArrays, 'set') as () => void;

/** A copy of the bytes of a view, whatever its prototype and properties pretend to be. */
export function bytesOfView(view: unknown): Uint8Array<ArrayBuffer> {
  const tag: unknown = Reflect.apply(readTag, view, []);
  if (typeof tag !== 'string' || !byteViews.has(tag)) throw new TypeError('not a view on bytes');
  return new Uint8Array(view as Uint8Array);
}

function fillView(view: unknown, fill: (bytes: Uint8Array) => void): unknown {
  const bytes = bytesOfView(view);
  fill(bytes);
  Reflect.apply(setBytes, view, [bytes]);
  return view;
}

const randomBytesMost = 1 << 20;
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The one command for which a shell is asked: `head -c16 /dev/urandom | base64`. */
function randomText(args: unknown, fill: (bytes: Uint8Array) => void): string {
  const command = Array.isArray(args) ? textOf((args as unknown[])[1]) : '';
  const count = Number(/^head -c(\d{1,7}) \/dev\/urandom \| base64 --wrap=0$/.exec(command)?.[1]);
  if (!(count <= randomBytesMost)) throw new TypeError('there are no commands here');
  const bytes = new Uint8Array(count);
  fill(bytes);
  return base64(bytes);
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const left = bytes.length - i;
    text += digits[word >> 18]! + digits[(word >> 12) & 63]!;
    text += left > 1 ? digits[(word >> 6) & 63]! : '=';
    text += left > 2 ? digits[word & 63]! : '=';
  }
  return text;
}

const labels = new Set(['utf-8', 'utf8', 'utf-16le', 'ascii', 'latin1']);

/** The decoder of the host has an inner class of it in a property. */
class PlainDecoder {
  readonly #native;

  constructor(label: unknown = 'utf-8', options?: Readonly<Record<string, unknown>>) {
    const name = textOf(label).toLowerCase();
    if (!labels.has(name)) throw new RangeError(`there is no decoder for ${name}`);
    const [fatal, ignoreBOM] = [options?.fatal === true, options?.ignoreBOM === true];
    this.#native = new nativeText.Decoder(name, { fatal, ignoreBOM });
  }

  decode(bytes?: unknown): string {
    try {
      return this.#native.decode(bytes as Uint8Array);
    } catch {
      throw new TypeError('these bytes are no text');
    }
  }
}

class PlainEncoder {
  readonly #native = new nativeText.Encoder();

  encode(text: unknown = ''): Uint8Array {
    return this.#native.encode(String(text));
  }

  encodeInto(text: unknown, into: unknown): { read: number; written: number } {
    try {
      const { read, written } = this.#native.encodeInto(String(text), into as Uint8Array);
      return { read, written };
    } catch {
      throw new TypeError('this cannot take a text');
    }
  }
}
