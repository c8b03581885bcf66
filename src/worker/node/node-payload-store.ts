// The payload store of a PC: it packs with zlib, off the event loop.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BlobClient } from '../payloads/blob-client.ts';
import { BlobPayloadStore } from '../payloads/blob-payload-store.ts';
import { BlobFolder } from './blob-folder.ts';

/** Checkpoints are many and mostly replaced soon: speed counts more than the last tenth of size. */
const gzipLevel = 3;

const compress = promisify(gzip);

/** `blobFolder`: where blobs lie that programs name; made when there is the first. */
export function createNodePayloadStore(
  blobs: BlobClient,
  resultLimitBytes: number,
  blobFolder: string,
): BlobPayloadStore {
  const options = { level: gzipLevel };
  return new BlobPayloadStore({
    blobs,
    resultLimitBytes,
    cabinet: new BlobFolder(blobFolder),
    gzip: (bytes) => compress(bytes, options),
  });
}
