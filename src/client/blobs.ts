// Blobs: data that is too large for an input, or that many inputs share. Uploads and downloads can be
// repeated until they are answered, because the name of a blob is the hash of its bytes.

import type { Bytes } from './bytes.ts';
import { NotJsonError } from './errors.ts';
import { jsonFault } from './json-fault.ts';
import { patiently } from './patience.ts';
import { type Endpoint, requestBytes, requestJson } from './request.ts';

/**
 * A reference to the JSON in a blob. As an input it stands for that value; for a result call
 * `getBlob`.
 */
export interface BlobRef {
  /** SHA-256 of the bytes. */
  readonly $blob: string;
}

/** Bytes that are uploaded as they are. */
export type BlobBytes = ArrayBuffer | ArrayBufferView;

export interface BlobOptions {
  readonly signal?: AbortSignal;
  /** How long to repeat the request when no answer comes, or "later"; 30 s by default, 0 asks once. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 30_000;

/** Stores bytes as they are, and any other value as its JSON text. */
export async function putBlob(
  endpoint: Endpoint,
  value: unknown,
  options: BlobOptions = {},
): Promise<BlobRef> {
  const bytes = bytesOf(value);
  const ref = { $blob: await sha256Of(bytes) };
  const { signal, patienceMs = PATIENCE_MS } = options;
  await patiently({ signal, patienceMs }, () =>
    requestJson(endpoint, pathOf(ref), {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
      signal,
      // An upload may take as long as it needs.
      streamsBody: true,
    }),
  );
  return ref;
}

/** Rejects when what comes has another hash. */
export async function getBlobBytes(
  endpoint: Endpoint,
  ref: BlobRef,
  { signal, patienceMs = PATIENCE_MS }: BlobOptions = {},
): Promise<Bytes> {
  const bytes = await patiently({ signal, patienceMs }, () =>
    requestBytes(endpoint, pathOf(ref), { signal }),
  );
  // Pages that came over http cannot compute a hash: there the bytes are taken as they are.
  if (subtle() === undefined || (await sha256Of(bytes)) === ref.$blob) return bytes;
  throw new Error(`What came for the blob ${ref.$blob} has another hash. Try again.`);
}

/** Returns the value of the JSON in a blob. */
export async function getBlob(
  endpoint: Endpoint,
  ref: BlobRef,
  options?: BlobOptions,
): Promise<unknown> {
  return JSON.parse(await getBlobText(endpoint, ref, options));
}

/** The text of the JSON in a blob. */
export async function getBlobText(
  endpoint: Endpoint,
  ref: BlobRef,
  options?: BlobOptions,
): Promise<string> {
  const bytes = await getBlobBytes(endpoint, ref, options);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw new TypeError(`The blob ${ref.$blob} is not JSON; getBlobBytes gives its bytes.`, {
      cause,
    });
  }
}

function pathOf({ $blob }: BlobRef): string {
  return `/api/blobs/${encodeURIComponent($blob)}`;
}

function bytesOf(value: unknown): Bytes {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer, byteOffset, byteLength);
    return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
  }
  const fault = jsonFault(value, 'value');
  if (fault !== null) throw new NotJsonError(fault);
  return new TextEncoder().encode(JSON.stringify(value));
}

/** The types say that it is always there; pages have it only over https and from localhost. */
function subtle(): SubtleCrypto | undefined {
  return (crypto as { readonly subtle?: SubtleCrypto }).subtle;
}

async function sha256Of(bytes: Bytes): Promise<string> {
  const digests = subtle();
  if (digests === undefined) {
    throw new TypeError('Pages can make blobs over https or from localhost only.');
  }
  const hash = new Uint8Array(await digests.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
