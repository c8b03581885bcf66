// The blobs that a job refers to, in its inputs, in its program and in the value that its tasks share.

import { payloadReferenceOf } from '../../protocol/blob-reference.ts';
import { blobsNamedBy } from '../../protocol/program.ts';
import type { Submission } from '../port/jobs.ts';

/** Hashes of blobs, each with the index of the first input that refers to it, or the place elsewhere in the job. */
export type BlobReferences = ReadonlyMap<string, number | string>;

const none: BlobReferences = new Map();

/** What all tasks of the job need. */
export function programReferences({
  program,
  shared,
}: Pick<Submission, 'program' | 'shared'>): BlobReferences {
  const named = blobsNamedBy(program);
  const ofShared = shared === undefined ? undefined : payloadReferenceOf(shared)?.sha256;
  if (named.length === 0 && ofShared === undefined) return none;
  const found = new Map<string, string>();
  for (const { sha256, place } of named) {
    if (!found.has(sha256)) found.set(sha256, `program.${place}`);
  }
  if (ofShared !== undefined && !found.has(ofShared)) found.set(ofShared, 'shared');
  return found;
}
