// What a program can name, as expressions: found by walking a live compartment, so that whatever the
// engine adds is used as soon as it is there.

export interface Vocabulary {
  /** Functions that are called as they stand. */
  readonly functions: readonly string[];
  readonly constructors: readonly string[];
  /** Functions that expect a `this`: methods of prototypes and accessors. */
  readonly methods: readonly string[];
  readonly objects: readonly string[];
  /** Keys as expressions, symbols included. */
  readonly keys: readonly string[];
}
