// The value that all tasks of a job share, as it is sent: bytes and what is long become blobs before.

import { payloadText } from '../protocol/codec.ts';
import { putBlob } from './blobs.ts';
import { NotJsonError } from './errors.ts';
import { jsonFault } from './json-fault.ts';
import type { Endpoint } from './request.ts';

/** What is longer would make a submission that is sent again whenever no answer comes. */
const LONG = 1024 * 1024;

/** The job as it is sent. Rejects with a `NotJsonError` about a value that JSON would change. */
export async function withSharedValue<Job extends { readonly shared?: unknown }>(
  endpoint: Endpoint,
  job: Job,
  signal: AbortSignal | undefined,
): Promise<Job> {
  const { shared } = job;
  if (shared === undefined) return job;
  const options = signal === undefined ? {} : { signal };
  if (shared instanceof Uint8Array) {
    const { $blob } = await putBlob(endpoint, shared, options);
    return { ...job, shared: { $bytes: $blob } };
  }
  const fault = jsonFault(shared, 'shared');
  if (fault !== null) throw new NotJsonError(fault);
  const text = payloadText(shared);
  if (text.length <= LONG) return job;
  return { ...job, shared: await putBlob(endpoint, new TextEncoder().encode(text), options) };
}
