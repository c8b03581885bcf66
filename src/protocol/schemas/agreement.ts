// Compile-time proof that a schema and a hand-written wire type are the same thing. Nothing here
// exists at run time.

/** `true` when both describe the same values; a type error where it is used otherwise. */
export type Agree<A, B> = [Frozen<A>] extends [Frozen<B>]
  ? [Frozen<B>] extends [Frozen<A>]
    ? true
    : { readonly missing: B }
  : { readonly surplus: A };

/** Accepts only `true`: `const proof: Proof<Agree<…>> = true`. */
export type Proof<T extends true> = T;

/** Schemas infer mutable types, the wire types are read-only: compare both frozen. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
