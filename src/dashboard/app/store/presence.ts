import type { Worker } from './cluster.ts';

/** It is connected, and was let in. */
export function isHere({ status }: Pick<Worker, 'status'>): boolean {
  return status !== 'offline' && status !== 'waiting';
}
