// Bytes in a buffer of their own, as `fetch` and hashes take them.

/** `Uint8Array<ArrayBuffer>` for compilers that know it, which are those from TypeScript 5.7 on. */
export type Bytes = ReturnType<Uint8Array['slice']>;
