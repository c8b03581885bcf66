// What the compiler lets through as JSON: any interface of strings, numbers, booleans, nulls, arrays and
// objects. A part that JSON would change has the type `NotJson` here, which no value has and whose
// argument says what to write instead. `json-fault.ts` is the same guard at run time.

/** `Why` is for the message of the compiler. */
export interface NotJson<Why extends string> {
  readonly notJson: Why;
}

/**
 * `T` itself if its values are JSON. Ask for `T & NoInfer<Json<T>>` where a value of the type `T` is
 * taken. A key may be optional or undefined, as it then is for whoever reads it; an element may not.
 */
export type Json<T> = T extends undefined ? NotJson<'undefined: use null'> : Member<T>;

/** What a task may take as its whole input, and give as its whole result: JSON, or bytes as they are. */
export type Payload<T> = T extends Uint8Array ? T : Json<T>;

type Member<T> = T extends string | number | boolean | null | undefined ? T : Composed<T>;

type Composed<T> = unknown extends T
  ? T
  : T extends bigint
    ? NotJson<'a BigInt: use String(it)'>
    : T extends symbol
      ? NotJson<'a symbol'>
      : T extends (...parameters: never[]) => unknown
        ? NotJson<'a function'>
        : T extends Date
          ? NotJson<'a Date: use toISOString()'>
          : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
            ? NotJson<'a Map or a Set: use Array.from(it)'>
            : T extends ArrayBufferView | ArrayBufferLike
              ? NotJson<'binary data: use Array.from(it)'>
              : T extends PromiseLike<unknown>
                ? NotJson<'a promise: await it'>
                : T extends readonly unknown[]
                  ? { [Index in keyof T]: Json<T[Index]> }
                  : { [Key in keyof T]: Member<T[Key]> };
