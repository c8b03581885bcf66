// Refuses new work when the process can hardly keep up, is short of memory, or too much waits at
// the coordinator. Never refused are calls and sockets of workers, which keep accepted work alive,
// what people ask and order (a cancel takes work away), and the health checks.

import underPressure from '@fastify/under-pressure';
import type { CoordinatorCondition } from '../coordinator/port/coordinator.ts';
import type { App } from './app.ts';
import { Refusal } from './refusal.ts';

export interface PressureLimits {
  /** Bound for the delay of the event loop, on average over a sample; 0 for none. */
  readonly mostDelayMs: number;
  /** Bound for the JavaScript heap; 0 for none. */
  readonly mostHeapBytes: number;
  /** How long a sample takes. */
  readonly sampleMs?: number;
}

/** Long enough that a machine which is busy for a moment is no reason. */
const defaultSampleMs = 5_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is refused under pressure; all others are served. */
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

export const crowded = 'Too much waits to be decided; try again in a moment.';

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
