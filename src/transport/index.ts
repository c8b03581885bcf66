// The door of the room. What is needed without a pin is small and here; the rest is loaded when a pin is used
// or a certificate was refused, so that pages do not carry it.

import type * as pinning from './pinning.ts';

export { canPin } from './node-modules.ts';
export { type PinnedAddress, pinnedAddress, withPin } from './pin.ts';
export type { PinnedFetch } from './pinned-fetch.ts';

export function loadPinning(): Promise<typeof pinning> {
  return import('./pinning.ts');
}
