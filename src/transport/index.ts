// The door of the room. What pages need is small and here; the rest is loaded in Node when something is sent, a pin
// is used or a certificate was refused, so that pages do not carry it.

import type * as pinning from './pinning.ts';

export type { Answer, Ask, TextReader } from './answer.ts';
export { canPin, isNode } from './node-modules.ts';
export { type PinnedAddress, pinnedAddress, withPin } from './pin.ts';
export type { PinnedFetch } from './pinned-fetch.ts';

export function loadPinning(): Promise<typeof pinning> {
  return import('./pinning.ts');
}
