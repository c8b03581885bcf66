// Refuses new work when the process can hardly keep up, is short of memory, or too much waits at
// the coordinator. Never refused are calls and sockets of workers, which keep accepted work alive,
// what people ask and order (a cancel takes work away), and the health checks.

import underPressure from '@fastify/under-pressure';
import type { FastifyRequest } from 'fastify';
import type { CoordinatorCondition } from '../coordinator/port/coordinator.ts';
import type { DiskRoom } from '../coordinator/port/disk-room.ts';
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
    /** The route is refused while the disk of the store is nearly full; from workers, which bring results, it is taken. */
    bringsData?: boolean;
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

/** Call after the hook that decides who asks. */
export function keepRoom(app: App, disk: DiskRoom): void {
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      if (request.routeOptions.config.bringsData === true) refuseWithoutRoom(request, disk);
      done();
    } catch (error) {
      done(error as Refusal);
    }
  });
}

/** What workers send belongs to what was accepted. Throws a `Refusal`. */
export function refuseWithoutRoom({ bearer }: FastifyRequest, disk: DiskRoom): void {
  if (disk.isFull && bearer?.principal.role !== 'worker') {
    throw new Refusal('disk_full', disk.detail);
  }
}

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
