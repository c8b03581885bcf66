// The system as a whole: statistics, limits, health, and clearing it.

import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { CoordinatorCondition } from '../../coordinator/port/coordinator.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import {
  clearedSchema,
  healthSchema,
  notReadySchema,
  readinessSchema,
  statsSchema,
} from '../../protocol/schemas/resources.ts';
import { answers, json, refused } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { accepted, Refusal, statusOf } from '../refusal.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['system'];
const life = '503 when it should be started anew.';
const readiness =
  '503 while it starts or stops, and at a member of a cluster that has no way to the leader, or that the database ' +
  'has not answered for seconds: send requests elsewhere, or later.';

const limitNames = Object.keys(defaultLimits) as (keyof typeof defaultLimits)[];
const limitsSchema = z.object(
  Object.fromEntries(limitNames.map((name) => [snakeCase(name), z.int().min(0)])),
);
const limitsExample = Object.fromEntries(
  limitNames.map((name) => [snakeCase(name), defaultLimits[name]]),
);

export function addSystemRoutes(
  app: App,
  { coordinator, access, limits, storeHealth, disk, version, cluster }: RouteContext,
): void {
  app.get(
    '/api/stats',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getStats',
        summary: 'Counters of the system',
        description: 'Whole numbers only; everything is 0 before anything has happened.',
        response: answers(statsSchema),
      },
    },
    (request) => portsOf(coordinator, request).reads.stats(),
  );

  app.get(
    '/api/limits',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getLimits',
        summary: 'Limits in force',
        description:
          'What passes one is refused with 413, 422, 429 or 503, and the limit is named.',
        response: answers(limitsSchema.meta({ title: 'Limits', examples: [limitsExample] })),
      },
    },
    () => Object.fromEntries(limitNames.map((name) => [snakeCase(name), limits[name]])),
  );

  app.delete(
    '/api/database/clear',
    {
      config: { access: 'admin', audit: 'database.clear' },
      schema: {
        tags,
        operationId: 'clearDatabase',
        summary: 'Remove all jobs, tasks, workers and checkpoints',
        description: 'Destructive. The configuration of the scheduler stays.',
        response: answers(clearedSchema),
      },
    },
    async () => ({ deleted: accepted(await coordinator.clear()) }),
  );

  const health = { 200: json(healthSchema, 'Yes'), ...notWell('failed') };
  const ready = { 200: json(readinessSchema, 'Yes'), ...notWell('starting') };
  app.get(
    '/healthz',
    {
      // To refuse it would cost as much, and somebody might take the refusal for a failure.
      config: { access: 'anybody', countsAs: 'nothing' },
      schema: {
        tags,
        operationId: 'checkHealth',
        summary: 'Does the process work?',
        description: life,
        response: health,
      },
    },
    (request, reply) => {
      const isWell = coordinator.health !== 'failed';
      // What tells of the coordinator is for those who may look at it.
      if (access.isNeeded && request.bearer === null) return tell(reply, isWell);
      const store = storeHealth();
      const more = {
        ...(store === undefined ? {} : { store }),
        ...(access.options.isOpen ? { open: true } : {}),
        ...diskHealth(),
      };
      return tell(reply, isWell, { version, ...more });
    },
  );
  app.get(
    '/readyz',
    {
      config: { access: 'anybody', countsAs: 'nothing' },
      schema: {
        tags,
        operationId: 'checkReadiness',
        summary: 'Does it take requests?',
        description: readiness,
        response: ready,
      },
    },
    (request, reply) => {
      const mayLook = !access.isNeeded || request.bearer !== null;
      if (cluster?.isCutOff === true) return tellCutOff(reply);
      return tell(reply, statusNow() === 'ready', mayLook ? diskHealth() : {});
    },
  );

  /** A member that does not lead is as ready as its way to the leader. */
  function statusNow(): CoordinatorCondition['health'] {
    const own = coordinator.health;
    if (cluster === undefined || cluster.role === 'leading' || own !== 'starting') return own;
    return cluster.isReady ? 'ready' : own;
  }

  /** Also where it leads, or reaches the leader: what it is asked it could hardly answer. */
  function tellCutOff(reply: FastifyReply): FastifyReply {
    return reply.code(statusOf('shutting_down')).send({ detail: cutOff, code: 'shutting_down' });
  }

  function diskHealth(): object {
    if (disk === undefined || !Number.isFinite(disk.freeBytes)) return {};
    const { isFull: is_full, freeBytes: free_bytes, floorBytes: floor_bytes } = disk;
    return { disk: { is_full, free_bytes, floor_bytes } };
  }

  function tell(reply: FastifyReply, isWell: boolean, more: object = {}): FastifyReply {
    const status = statusNow();
    if (isWell) return reply.send({ status, ...more });
    const detail =
      status === 'starting' && cluster?.role === 'following' ? noLeader : notReady(status);
    return reply.code(statusOf('shutting_down')).send({ detail, code: 'shutting_down', status });
  }
}

function notWell(status: CoordinatorCondition['health']) {
  const example = new Refusal('shutting_down', notReady(status));
  return refused([], { shutting_down: example }, notReadySchema);
}

const cutOff =
  'The database has not answered this coordinator for seconds; send requests to another one of the cluster.';
const noLeader =
  'No coordinator of this cluster leads at the moment, or this one does not reach the one that leads.';

function notReady(status: CoordinatorCondition['health']): string {
  return `The coordinator is not ready; its state is "${status}".`;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
