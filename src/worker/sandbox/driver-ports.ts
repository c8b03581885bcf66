// What the driver needs of the process or thread that it runs in.

import type { FromChild } from './messages.ts';
import type { ReadStopOrder } from './stop-order.ts';

export interface DriverPorts {
  readonly send: (message: FromChild) => void;
  /** Whether the messages by now have left the process, but for a few. */
  readonly hasRoom: () => boolean;
  readonly now: () => number;
  /** Notes, outside of the message channel, which attempt runs: the note outlives the process. */
  readonly writePosition: (number: number) => void;
  /** The order to stop that the agent notes there as well; null where it cannot. */
  readonly readStopOrder: ReadStopOrder | null;
  /** A blob that the agent has put into the folder of the child. Throws what the platform says. */
  readonly readLent: (name: string) => Uint8Array;
  /** Ends the process; the attempt that runs is to blame. */
  readonly giveUp: (why: string) => never;
}
