// The masks of the frames that a worker sends (RFC 6455, 5.3). They keep a proxy on the way, which does not know
// WebSockets, from taking what a task returned for a request of its own. Where nobody on the way can read the
// frames, they protect from nothing, and to lay them on and to take them off are two walks over every byte of
// every result: there the mask is zero, which both sides skip.

import { randomFillSync } from 'node:crypto';
import type { Socket } from 'node:net';

/** What is known of the connection once it stands. */
type Way = Pick<Socket, 'remoteAddress'> & { readonly encrypted?: boolean };

export class FrameMasks {
  #isUnseen = false;

  connected({ encrypted, remoteAddress }: Way): void {
    this.#isUnseen = encrypted === true || isThisMachine(remoteAddress ?? '');
  }

  /** Writes the mask of the next frame, four bytes. */
  readonly fill = (mask: Buffer): void => {
    if (this.#isUnseen) mask.fill(0);
    else randomFillSync(mask);
  };
}

function isThisMachine(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
