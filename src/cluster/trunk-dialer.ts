// Connections to the address of a leader, over HTTP or, with a pin where its certificate is its own, over TLS.

import { WebSocket } from 'ws';
import { reach } from './reach.ts';
import { mostFrameBytes, proofHeader, type TrunkNetwork, trunkPath } from './trunk.ts';
import type { Dialed, Dialer } from './trunk-line.ts';

export class TrunkDialer implements Dialer {
  readonly url: string;
  readonly #secret: string;
  readonly #agent: ReturnType<typeof reach>['agent'];

  /** `secret`: of the cluster. Throws a `TypeError` for an address that cannot be meant. */
  constructor(address: string, secret: string) {
    const { url, agent } = reach(address);
    this.url = `${url.replace(/^http/i, 'ws')}${trunkPath}`;
    this.#secret = secret;
    this.#agent = agent;
  }

  dial(): Dialed {
    const socket = new WebSocket(this.url, {
      agent: this.#agent,
      headers: { authorization: `Bearer ${this.#secret}`, [proofHeader]: this.#secret },
      perMessageDeflate: false,
      maxPayload: mostFrameBytes,
      followRedirects: false,
    });
    let network: TrunkNetwork | undefined;
    socket.once('upgrade', (response) => (network = response.socket));
    return {
      socket,
      get network() {
        return network;
      },
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}
