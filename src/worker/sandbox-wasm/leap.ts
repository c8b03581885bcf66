// How a program is left in the middle: a trap. No handler of the program's own catches one, as it would catch what
// JavaScript throws; only WebAssembly makes them, so a module of a few bytes does.

import { fromBase64 } from './base64.ts';
import { compileNow, type ExportedFunction, instantiate } from './engine.ts';

/** (module (func (export "") unreachable)) */
const bytes = fromBase64('AGFzbQEAAAABBAFgAAADAgEABwQBAAAACgUBAwAACw==')!;

/** Made before the lock, like all that is used of the engine. */
const trap = instantiate(compileNow(bytes), {}).exports[''] as ExportedFunction;

/** Leaves all code of the program that is on the stack. */
export function leap(): never {
  trap();
  throw new Error('a trap was passed over');
}
