// The body of a request that is passed on, as it goes to the leader: as it comes, or staged in the database.

import type { ClientRequest } from 'node:http';

export interface PassedBody {
  /** Headers by which the leader knows what comes, names and values in turn; null: those of the client. */
  readonly framing: readonly string[] | null;
  /** Nothing of it has been read: it can still be served here. */
  readonly isUntouched: boolean;
  /** All of it can be sent from its beginning. */
  readonly isKept: boolean;
  /** What was sent of it was not all that the leader needs: nothing can have been carried out. */
  readonly isUnfinished: boolean;
  /** Why it cannot be had, though the client is there. */
  readonly failure: Error | null;
  /** Sends it from its beginning, as fast as it is taken. Call when there is a connection. */
  sendTo(upstream: ClientRequest): void;
  /** Whoever it was sent to takes no more of it. */
  stop(): void;
  /** The answer has begun: it is not sent again. */
  forget(): void;
  /** Nobody takes it any more: what is still to come is read and dropped. */
  end(): void;
}
