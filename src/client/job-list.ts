// Lists of jobs, as summaries or with all that is told of a job but its tasks.

import type { JobStatus, JobSummary } from '../protocol/resources.ts';
import { type Endpoint, requestJson } from './request.ts';

export interface JobsFilter {
  readonly status?: JobStatus | readonly JobStatus[];
  readonly clientId?: string;
  /** A part of the name, the id or the client, in capitals or not. */
  readonly search?: string;
  /** With all that `jobHead` tells of each; at most 200 then. */
  readonly heads?: boolean;
  readonly limit?: number;
  /** Id of the last job of the page before. */
  readonly after?: string;
  /** Jobs that a person may mean by it: an id, its beginning or its end, or a name. Goes with `limit` only. */
  readonly handle?: string;
  readonly signal?: AbortSignal;
}

/** The caller knows by the filter what comes of each. */
export function listJobs<Job extends JobSummary>(
  endpoint: Endpoint,
  { status, clientId, search, heads, limit, after, handle, signal }: JobsFilter = {},
): Promise<readonly Job[]> {
  const statuses = typeof status === 'string' ? status : status?.join(',');
  const query = { status: statuses, client_id: clientId, q: search, heads, limit, after, handle };
  return requestJson(endpoint, '/api/jobs', { query, signal });
}
