// What a simulated device finds around it, and what one of its lives knows of it.

import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { WorkerSession } from '../../coordinator/port/workers.ts';
import type { WorkerIdentity } from '../../worker/machine/machine.ts';
import type { ProgramChecker } from '../checkers/program-checker.ts';
import type { Clock } from '../clock.ts';
import type { Door } from '../door.ts';
import type { Faults } from '../faults.ts';
import type { Connection } from '../network.ts';
import type { Prng } from '../prng.ts';
import type { Page } from './page.ts';
import type { Pass } from './pass.ts';

export interface DeviceWorld {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly faults: () => Faults;
  /** Opens a session at the coordinator, null while it is down. */
  readonly openSession: (
    sink: { send(frame: string): void; close(): void },
    bearer: Bearer | null,
  ) => WorkerSession | null;
  readonly door: Door;
  readonly programs: ProgramChecker;
  readonly log: (line: string) => void;
}

/** What outlives a life. */
export interface LivingDevice {
  readonly name: string;
  identity: WorkerIdentity | null;
  connection: Connection | null;
  readonly pass: Pass;
  readonly page: Page | null;
  /** `life` has ended by itself. */
  ended(life: object): void;
}
