// Who this device is at its coordinator, and with which token it asks to be let in: its own, or, where that is refused
// or there is none, that of the link.

import type { AgentSocket, SocketListener } from '../agent.ts';
import type { WorkerIdentity } from '../machine/machine.ts';
import { inOwnWords } from '../own-words.ts';
import { withSecondToken } from '../second-token.ts';

type OpenSocket = (token: string | undefined, listener: SocketListener) => AgentSocket;

export class DeviceIdentity {
  readonly #linkToken: string | undefined;
  #current: WorkerIdentity | null;
  /** Of another database, or it was removed. */
  #isOwnRefused = false;
  /** After the database was cleared it registers anew, with the token that it had. */
  #tokenBefore: string | undefined;

  constructor(current: WorkerIdentity | null, linkToken: string | null) {
    this.#current = current;
    this.#linkToken = linkToken ?? undefined;
  }

  get current(): WorkerIdentity | null {
    return this.#current;
  }

  change(identity: WorkerIdentity | null): void {
    const isForgotten = identity === null && !this.#isOwnRefused;
    this.#tokenBefore = isForgotten ? this.#current?.workerToken : undefined;
    this.#current = identity;
    this.#isOwnRefused = false;
  }

  openSocket(listener: SocketListener, open: OpenSocket): AgentSocket {
    const own = this.#isOwnRefused ? undefined : (this.#current?.workerToken ?? this.#tokenBefore);
    if (own === undefined) {
      const words = this.#linkToken === undefined ? noLink : null;
      return open(this.#linkToken, inOwnWords(listener, words));
    }
    if (this.#linkToken === undefined) return open(own, inOwnWords(listener, unknownHere));
    return open(
      own,
      withSecondToken(listener, () => {
        this.#isOwnRefused = true;
      }),
    );
  }
}

// What the coordinator says of tokens would mean nothing to whoever reads it on a phone.

const noLink =
  'To help here, this device needs a link: ask whoever runs the coordinator for one, and open that.';
const unknownHere =
  'The coordinator does not know this device any more. Ask whoever runs it for a new link, and open that.';
