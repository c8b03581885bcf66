// What every group of routes takes its part of.

import type { Logger } from 'pino';
import type { Coordinator } from '../../coordinator/port/coordinator.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { StoreHealth } from '../../protocol/resources.ts';
import type { Connections } from '../connections.ts';
import type { InFlight } from '../in-flight.ts';
import type { OpenAnswers } from '../open-answers.ts';

export interface RouteContext {
  /** Its parts are asked for each time they are needed: another may have taken its place. */
  readonly coordinator: Coordinator;
  readonly limits: Limits;
  readonly log: Logger;
  readonly connections: Connections;
  readonly openAnswers: OpenAnswers;
  readonly inFlight: InFlight;
  readonly storeHealth: () => StoreHealth | undefined;
  /** Aborted when the server closes: streams without an end of their own watch it. */
  readonly closing: AbortSignal;
}
