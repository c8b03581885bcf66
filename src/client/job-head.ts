// A job without its tasks, whose list may be a gigabyte long.

import type { JobDetail } from '../protocol/resources.ts';
import { type Endpoint, requestJson } from './request.ts';

export type JobHead = Omit<JobDetail, 'tasks'>;

export function jobHead(endpoint: Endpoint, jobId: string, signal?: AbortSignal): Promise<JobHead> {
  return requestJson(endpoint, jobPath(jobId), { query: { tasks: false }, signal });
}

export function jobPath(jobId: string): string {
  return `/api/jobs/${encodeURIComponent(jobId)}`;
}
