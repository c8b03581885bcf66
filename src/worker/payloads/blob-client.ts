// Blobs of the coordinator: bytes that are stored under their SHA-256. The worker asks for them
// with its own token.

import { PayloadFault } from './payload-store.ts';

type Ask = (url: string, request: RequestInit) => Promise<Response>;
/** In hexadecimal digits. */
export type Sha256 = (bytes: Uint8Array<ArrayBuffer>) => Promise<string>;

/** The coordinator takes no larger blob. */
export const largestBlobBytes = 64 * 1024 * 1024;
const transferLimitMs = 60_000;

export class BlobClient {
  readonly #url: () => string;
  readonly #fetch: Ask;
  readonly #token: () => string | null;
  readonly #onTransfer: (bytes: number, ms: number) => void;
  readonly #closing = new AbortController();
  readonly sha256Of: Sha256;

  /** `token`: null before the first registration. `ask`: the platform's `fetch`, unless there is a pin. */
  constructor(
    url: () => string,
    token: () => string | null,
    onTransfer: (bytes: number, ms: number) => void = () => {},
    ask: Ask = (address, request) => fetch(address, request),
    sha256Of: Sha256 = digest,
  ) {
    this.#url = url;
    this.#fetch = ask;
    this.#token = token;
    this.#onTransfer = onTransfer;
    this.sha256Of = sha256Of;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Stores the bytes and returns their hash. */
  async put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const sha256 = await this.sha256Of(bytes);
    const from = performance.now();
    const response = await this.#call(sha256, { method: 'PUT', body: bytes });
    this.#onTransfer(bytes.length, performance.now() - from);
    await response.body?.cancel();
    return sha256;
  }

  async get(sha256: string): Promise<Uint8Array<ArrayBuffer>> {
    const from = performance.now();
    const response = await this.#call(sha256, {});
    const bytes = await readAll(response, sha256);
    this.#onTransfer(bytes.length, performance.now() - from);
    if ((await this.sha256Of(bytes)) === sha256) return bytes;
    throw new PayloadFault(`The blob ${sha256} holds other bytes than its name says.`, false);
  }

  /** Aborts all transfers. */
  close(): void {
    this.#closing.abort();
  }

  async #call(sha256: string, request: RequestInit): Promise<Response> {
    const token = this.#token();
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/octet-stream' }),
    };
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(transferLimitMs)]);
    let response: Response;
    try {
      response = await this.#fetch(`${this.#url()}/api/blobs/${sha256}`, {
        ...request,
        headers,
        signal,
        // Nobody is asked to whom a coordinator may send: it could be a service of this machine alone.
        redirect: 'manual',
      });
    } catch (error) {
      const why = (error as { readonly cause?: Error }).cause?.message ?? (error as Error).message;
      throw new PayloadFault(
        `The coordinator could not be asked for a blob: ${why}.`,
        false,
        error,
      );
    }
    if (response.ok) return response;
    await response.body?.cancel();
    const { status } = response;
    const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
    const name = `${request.method ?? 'GET'} of the blob ${sha256}`;
    throw new PayloadFault(`${name} was answered with ${status}.`, isFinal);
  }
}

/** What is announced may be less than what comes, above all of a compressed answer. */
async function readAll(response: Response, sha256: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = Number(response.headers.get('content-length') ?? 0);
  let read = 0;
  const reader = response.body?.getReader();
  for (;;) {
    if (size > largestBlobBytes) {
      await reader?.cancel();
      throw new PayloadFault(
        `The blob ${sha256} has ${size} bytes or more; that is too large.`,
        true,
      );
    }
    const part = await reader?.read().catch((error: unknown) => {
      throw new PayloadFault(`The blob ${sha256} was cut off on its way.`, false, error);
    });
    if (part?.value === undefined) break;
    parts.push(part.value);
    read += part.value.length;
    size = Math.max(size, read);
  }
  const bytes = new Uint8Array(read);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Computed off the event loop. */
async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexadecimal(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

export function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
