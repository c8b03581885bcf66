// Stands in for Node's `buffer` in a bundle.

export { Buffer } from 'buffer/index.js';
export const kMaxLength = 0x7fffffff;
export const { atob, btoa } = globalThis;
