// The cluster: which coordinators are members, and who leads. A process that is alone is a cluster of one.

import { v7 as uuid } from 'uuid';
import type { ClusterResource } from '../../protocol/cluster.ts';
import { clusterSchema } from '../../protocol/schemas/cluster.ts';
import { answers } from '../answers.ts';
import { type App, clusterPath } from '../app.ts';
import { memberHeader } from '../member-proof.ts';
import type { RouteContext } from './route-context.ts';

export function addClusterRoute(
  app: App,
  { access, cluster, door, version, workerSockets }: RouteContext,
): void {
  const [member, term, since] = [uuid(), uuid(), new Date().toISOString()];

  app.get(
    clusterPath,
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['system'],
        operationId: 'getCluster',
        summary: 'The coordinators on this database, and who leads',
        description:
          'A coordinator that is alone, as one on SQLite always is, answers with itself as the only member.',
        response: answers(clusterSchema),
      },
    },
    async (request) => {
      if (cluster === undefined) return alone();
      const resource = await cluster.resource();
      if (!access.options.callers.of(request.raw).isPassedOn) return resource;
      const asked = request.headers[memberHeader];
      return { ...resource, asked: typeof asked === 'string' ? asked : null };
    },
  );

  function alone(): ClusterResource {
    const own = {
      id: member,
      url: door().address ?? '',
      version,
      is_leader: true,
      is_self: true,
      is_alive: true,
      seen_at: new Date().toISOString(),
      may_lead: true,
      workers: workerSockets(),
    };
    const began = { id: term, epoch: 1, since, ended: null };
    return {
      role: 'leading',
      leader: member,
      asked: member,
      term: began,
      sequence: 0,
      members: [own],
    };
  }
}
