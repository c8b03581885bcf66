// Blobs: what is too large for an input, or comes in many of them. Uploads and downloads are repeated
// until they are answered: the same bytes have the same name.

import { payloadText } from '../protocol/codec.ts';
import { patiently } from './patience.ts';
import { type Endpoint, requestBytes, requestJson } from './request.ts';

/** Stands for the JSON in a blob, as an input of a job; as a result, get the blob for the value. */
export interface BlobRef {
  /** SHA-256 of the bytes. */
  readonly $blob: string;
}

export interface BlobOptions {
  readonly signal?: AbortSignal;
  /** How long to repeat it when there is no answer, or "later"; 30 s by default, 0 asks once. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 30_000;

/** Bytes as they are; any other value as its JSON text. */
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
      // As long as it takes.
      streamsBody: true,
    }),
  );
  return ref;
}

export function getBlobBytes(
  endpoint: Endpoint,
  ref: BlobRef,
  { signal, patienceMs = PATIENCE_MS }: BlobOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  return patiently({ signal, patienceMs }, () => requestBytes(endpoint, pathOf(ref), { signal }));
}

/** The JSON in a blob, as a value. */
export async function getBlob(
  endpoint: Endpoint,
  ref: BlobRef,
  options?: BlobOptions,
): Promise<unknown> {
  const bytes = await getBlobBytes(endpoint, ref, options);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new TypeError(`The blob ${ref.$blob} is not JSON; getBlobBytes gives its bytes.`, {
      cause,
    });
  }
}

function pathOf({ $blob }: BlobRef): string {
  return `/api/blobs/${encodeURIComponent($blob)}`;
}

function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer, byteOffset, byteLength);
    return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return new TextEncoder().encode(payloadText(value));
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Typed as always there, but pages of another origin than localhost have it over https only.
  const { subtle } = crypto as { readonly subtle?: SubtleCrypto };
  if (subtle === undefined) {
    throw new TypeError('Pages can make blobs over https or from localhost only.');
  }
  const hash = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
