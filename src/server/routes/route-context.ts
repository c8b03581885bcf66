// The context of the routes: each group of them takes the parts that it needs.

import type { Logger } from 'pino';
import type { ClusterPort } from '../../cluster/port.ts';
import type { Coordinator } from '../../coordinator/port/coordinator.ts';
import type { DiskRoom } from '../../coordinator/port/disk-room.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { StoreHealth } from '../../protocol/resources.ts';
import type { Access } from '../access/access.ts';
import type { Audit } from '../access/audit.ts';
import type { Callers } from '../callers.ts';
import type { Connections } from '../connections.ts';
import type { InFlight } from '../in-flight.ts';
import type { Metrics } from '../metrics.ts';
import type { Door } from '../join-address.ts';
import type { OpenAnswers } from '../open-answers.ts';
import type { SharedAnswers } from '../shared-answers.ts';
import type { AddressRules } from '../webhooks/address-rules.ts';

export interface RouteContext {
  /** Read its parts again at every use: another coordinator may have taken its place. */
  readonly coordinator: Coordinator;
  /** Who asks, and whether they may. */
  readonly access: Access;
  /** What was done, and by whom. */
  readonly audit: Audit;
  /** Where it listens, and what it shows there. */
  readonly door: () => Door;
  readonly limits: Limits;
  readonly log: Logger;
  readonly callers: Callers;
  readonly connections: Connections;
  readonly openAnswers: OpenAnswers;
  readonly sharedAnswers: SharedAnswers;
  readonly inFlight: InFlight;
  readonly metrics: Metrics;
  /** New work is refused at this moment. */
  readonly isOverloaded: () => boolean;
  /** What people call it; null when nobody has said. */
  readonly coordinatorName: string | null;
  /** Of the program. */
  readonly version: string;
  /** Where messages of the ends of jobs may go; null: none are sent. */
  readonly webhooks: AddressRules | null;
  readonly storeHealth: () => StoreHealth | undefined;
  /** Undefined where nobody measures it. */
  readonly disk: DiskRoom | undefined;
  /** Absent: this process is alone. */
  readonly cluster: ClusterPort | undefined;
  /** How many sockets of workers are here, whoever serves them. */
  readonly workerSockets: () => number;
  /** Aborted when the server closes; ends streams that have no end of their own. */
  readonly closing: AbortSignal;
}
