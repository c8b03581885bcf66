// What the agent of a browser worker needs of its browser.

import type { ClockPorts } from './device-clock.ts';
import type { LifePorts } from './device-life.ts';
import type { KeptEntries } from './kept-entries.ts';
import type { OneTab } from './one-tab.ts';
import type { FromAgent } from './page-messages.ts';
import type { Wire } from './ticket-socket.ts';

export interface DevicePorts
  extends Pick<LifePorts, 'createExecutor' | 'createPayloads' | 'random' | 'probeMs'>,
    ClockPorts {
  readonly tell: (message: FromAgent) => void;
  /** Null where the browser keeps nothing. */
  readonly entries: KeptEntries | null;
  readonly tab: Pick<OneTab, 'take' | 'letGo' | 'isElsewhere'>;
  readonly wire: Pick<Wire, 'fetch' | 'openSocket'>;
  readonly isSecure: boolean;
}
