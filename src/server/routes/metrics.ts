// `/metrics`: how the coordinator does, in the text format of Prometheus.

import { z } from 'zod';
import { refused } from '../answers.ts';
import type { App } from '../app.ts';
import { Refusal } from '../refusal.ts';
import type { RouteContext } from './route-context.ts';

/** Paths that nobody has declared are one. */
const noRoute = 'none';

export function addMetricsRoute(
  app: App,
  { coordinator, metrics, isOverloaded }: RouteContext,
): void {
  const schema = {
    tags: ['system'],
    operationId: 'getMetrics',
    summary: 'How the coordinator does, for Prometheus',
    description: 'In the text format of Prometheus. Counters only rise while the process lives.',
    response: {
      200: { description: 'The metrics', content: { 'text/plain': { schema: z.string() } } },
      ...refused([]),
    },
  };
  app.get('/metrics', { config: { access: 'watcher' }, schema }, async (_request, reply) => {
    const isThere = coordinator.health === 'ready' || coordinator.health === 'stopping';
    const text = await metrics.render(isOverloaded(), isThere ? coordinator.reads : undefined);
    return reply.type(metrics.contentType).send(text);
  });
}

export function measureRequests(app: App, { metrics }: Pick<RouteContext, 'metrics'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { url: route = noRoute } = request.routeOptions;
    metrics.observeRequest(methodOf(request.method), route, reply.statusCode, reply.elapsedTime);
    done();
  });
  app.addHook('onError', (_request, _reply, error, done) => {
    if (error instanceof Refusal && error.exceeded !== undefined) {
      metrics.countRefusal(error.exceeded.quota);
    }
    done();
  });
}

function methodOf(method: string): string {
  return methods.has(method) ? method : 'other';
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
