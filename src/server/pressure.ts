// When the process can hardly keep up, or hardly has memory, or too much waits at the coordinator, new work
// is refused rather than made to wait with everything else. Never refused is what keeps work alive that was taken before (the calls and sockets
// of workers), what people ask and order (a cancel takes work away), and whether the process is well.

import underPressure from '@fastify/under-pressure';
import type { CoordinatorCondition } from '../coordinator/port/coordinator.ts';
import type { App } from './app.ts';
import { Refusal } from './refusal.ts';

export interface PressureLimits {
  /** Of the event loop, on average over a sample; 0 for none. */
  readonly mostDelayMs: number;
  /** Of the JavaScript heap; 0 for none. */
  readonly mostHeapBytes: number;
  /** How long a sample takes. */
  readonly sampleMs?: number;
}

/** A machine that is busy elsewhere for a moment is no reason. */
const defaultSampleMs = 5_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Not taken under pressure; every other route is served. */
    bringsWork?: boolean;
  }
}

export function refuseWhenCrowded(
  app: App,
  coordinator: Pick<CoordinatorCondition, 'isCrowded'>,
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isRefused = request.routeOptions.config.bringsWork === true && coordinator.isCrowded;
    done(isRefused ? new Refusal('busy', crowded) : undefined);
  });
}

const crowded = 'Too much waits to be decided; try again in a moment.';

export function refuseUnderPressure(app: App, limits: PressureLimits): void {
  void app.register(underPressure, {
    maxEventLoopDelay: limits.mostDelayMs,
    maxHeapUsedBytes: limits.mostHeapBytes,
    sampleInterval: limits.sampleMs ?? defaultSampleMs,
    pressureHandler: (request, _reply, type) => {
      if (request.routeOptions.config.bringsWork !== true) return undefined;
      const lack = type === underPressure.TYPE_HEAP_USED_BYTES ? 'memory' : 'time';
      const detail = `The coordinator is short of ${lack}; try again in a moment.`;
      return Promise.reject(new Refusal('busy', detail));
    },
  });
}
