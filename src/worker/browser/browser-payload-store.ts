// The payload store of a browser: it packs and hashes with what browsers have, and keeps blobs by `fetch`.

import { defaultLimits } from '../../protocol/limits.ts';
import { BlobClient, hexadecimal } from '../payloads/blob-client.ts';
import { MemoryCabinet } from '../payloads/blob-shelf.ts';
import { BlobPayloadStore } from '../payloads/blob-payload-store.ts';
import { sha256 } from './sha256.ts';

/** Phones have little memory. */
const cachedCharacters = 8 * 1024 * 1024;

export interface BrowserPayloadOptions {
  /** Of the coordinator, without a trailing slash. */
  readonly origin: string;
  readonly token: () => string | null;
  readonly onTransfer: (bytes: number, ms: number) => void;
  readonly fetch?: typeof fetch;
  /** False: the page did not come by HTTPS, and the browser hashes nothing for it. */
  readonly hasSubtle?: boolean;
}

export function createBrowserPayloadStore(options: BrowserPayloadOptions): BlobPayloadStore {
  const { origin, token, onTransfer, fetch: ask = fetch } = options;
  const hasSubtle = options.hasSubtle ?? globalThis.crypto?.subtle !== undefined;
  const blobs = new BlobClient(
    () => origin,
    token,
    onTransfer,
    (url, request) => ask(url, { ...request, credentials: 'omit' }),
    hasSubtle ? undefined : (bytes) => Promise.resolve(hexadecimal(sha256(bytes))),
  );
  return new BlobPayloadStore({
    blobs,
    resultLimitBytes: defaultLimits.resultBytes,
    gzip,
    cachedCharacters,
    cabinet: new MemoryCabinet(),
  });
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
