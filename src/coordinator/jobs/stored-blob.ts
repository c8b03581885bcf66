// A blob as the store gives it out, part by part.

import type { BlobReading } from '../../store/reading.ts';
import type { StoredBlob } from '../port/blobs.ts';

type Source = Pick<BlobReading, 'findBlob' | 'readBlobPart'>;

export async function findStoredBlob(
  store: Source,
  sha256: string,
): Promise<StoredBlob | undefined> {
  const row = await store.findBlob(sha256);
  return row && { sizeBytes: row.sizeBytes, parts: () => parts(store, sha256) };
}

async function* parts(store: Source, sha256: string): AsyncGenerator<Uint8Array> {
  for (let from = 0; ; ) {
    const part = await store.readBlobPart(sha256, from);
    if (part === undefined) throw new Error(`The blob ${sha256} was removed while it was read.`);
    if (part.length === 0) return;
    yield part;
    from += part.length;
  }
}
