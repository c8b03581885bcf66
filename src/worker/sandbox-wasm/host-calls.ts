// Every call that a program makes of the host passes here: it may be left, and if the host itself fails in the middle,
// for instance since the program has used up the stack, no later call goes on from what that has left half done.

import { describeHostError, failure, type Leaving } from './ends.ts';
import type { GuestMemory } from './guest-memory.ts';
import { leap } from './leap.ts';

export type RawValue = number | bigint;

/** A function that programs may import, of a host of type `H`. */
export interface HostFunction<H> {
  /** As `(i32, i64) -> i32`. */
  readonly signature: string;
  /** Whole numbers of 32 bits come without a sign, those of 64 bits as big ones. */
  readonly run: (host: H, ...values: never[]) => number;
}

export type HostTable<H> = Readonly<Record<string, HostFunction<H>>>;

const letters: Readonly<Record<string, string>> = { i: 'i32', I: 'i64', d: 'f64' };

/** `parameters`: a letter each, `i` for i32, `I` for i64, `d` for f64. */
export function offered<H>(
  parameters: string,
  run: HostFunction<H>['run'],
  result = 'i32',
): HostFunction<H> {
  const types = Array.from(parameters, (letter) => letters[letter]);
  return { signature: `(${types.join(', ')}) -> ${result}`, run };
}

export class HostCalls {
  readonly #memory: GuestMemory;
  /** Asked before each call: whether the program is to be left. */
  readonly #leavesNow: () => boolean;
  #leaving: Leaving | null = null;
  #isInside = false;

  constructor(memory: GuestMemory, leavesNow: () => boolean) {
    this.#memory = memory;
    this.#leavesNow = leavesNow;
  }

  /** Null: nobody has asked to leave the program. */
  get leaving(): Leaving | null {
    if (this.#leaving === null && this.#isInside) return overflown;
    return this.#leaving;
  }

  /** The program is left as soon as the call that is being made returns. */
  leave(leaving: Leaving): number {
    this.#leaving ??= leaving;
    return 0;
  }

  /** A call that the program makes. */
  make<H>(
    host: H,
    call: (host: H, ...values: RawValue[]) => number,
    values: RawValue[],
    isWhole: boolean,
  ): number {
    if (this.#isInside || this.#leaving !== null) this.#leap();
    this.#isInside = true;
    let result = 0;
    try {
      if (this.#leavesNow()) this.leave({ type: 'stopped' });
      else {
        this.#memory.refresh();
        if (isWhole) unsign(values);
        result = call(host, ...values);
      }
    } catch (error) {
      this.#leaving ??= describeHostError(error);
    }
    if (this.#leaving !== null) this.#leap();
    this.#isInside = false;
    return result;
  }

  #leap(): never {
    this.#leaving ??= overflown;
    this.#isInside = false;
    leap();
  }
}

/** What a program gets for its import. `hostNow` is asked at each call for the host of the instance that runs. */
export function importOf<H extends { readonly calls: HostCalls }>(
  hostNow: () => H,
  { signature, run }: HostFunction<H>,
): (...values: RawValue[]) => number {
  const isWhole = !/f64[,)]/.test(signature);
  const call = run as (host: H, ...values: RawValue[]) => number;
  return (...values) => {
    const host = hostNow();
    return host.calls.make(host, call, values, isWhole);
  };
}

const overflown = failure('wasm_trap', 'the stack overflowed within a call of the host');

/** WebAssembly hands over whole numbers of 32 bits with a sign; places and lengths have none. */
function unsign(values: RawValue[]): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value === 'number') values[i] = value >>> 0;
  }
}
