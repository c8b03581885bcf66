// The part of the client that shows the coordinators of a database.

import type { ClusterResource } from '../protocol/cluster.ts';
import { type Endpoint, requestJson } from './request.ts';

export function fetchCluster(endpoint: Endpoint, signal?: AbortSignal): Promise<ClusterResource> {
  return requestJson(endpoint, '/api/cluster', { signal });
}
