// Bytes in a buffer of their own, as `fetch` and hashes take them.

/**
 * What an array of bytes gives of itself. From TypeScript 5.7 on its type has that of its buffer as a parameter,
 * which older compilers cannot read: nobody writes it out here.
 */
export type Bytes = ReturnType<Uint8Array['slice']>;
