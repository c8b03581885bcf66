// The kinds of programs beside JavaScript that a child can run. What runs a kind is made on its first use, or before
// the child serves when it is there for nothing else: a child for JavaScript pays for none of them.

import type { GuestKind } from './guest.ts';

/** By the kind of the program; each loads its code when it is called. */
export type GuestMakers = Readonly<Record<string, () => Promise<GuestKind>>>;

export class Guests {
  readonly #makers: GuestMakers;
  readonly #made = new Map<string, Promise<GuestKind>>();

  constructor(makers: GuestMakers) {
    this.#makers = makers;
  }

  has(kind: string): boolean {
    return Object.hasOwn(this.#makers, kind);
  }

  /** Made once; one that could not be made is tried again. */
  get(kind: string): Promise<GuestKind> {
    const known = this.#made.get(kind);
    if (known !== undefined) return known;
    const made = this.#make(kind);
    this.#made.set(kind, made);
    made.catch(() => this.#made.delete(kind));
    return made;
  }

  async #make(kind: string): Promise<GuestKind> {
    const make = this.has(kind) ? this.#makers[kind] : undefined;
    if (make === undefined) throw new Error(`this child cannot run programs of the kind ${kind}`);
    return make();
  }
}
