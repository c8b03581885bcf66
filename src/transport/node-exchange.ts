// One request with Node's own `http` and `https`, and the answer to it. Connections are kept and used again. No
// redirection is followed: a coordinator sends none.

import type { HttpAgent, HttpAnswer, HttpModule, HttpRequest } from './node-modules.ts';

/** How long it may take until there is a connection. */
const connectMs = 10_000;

export interface ExchangeOptions {
  readonly module: HttpModule;
  readonly agent: HttpAgent;
  /** Whether connections get a time limit here; not, where the agent has one of its own. */
  readonly limitsConnect: boolean;
}

export async function exchange(
  { module, agent, limitsConnect }: ExchangeOptions,
  url: string,
  init: RequestInit,
): Promise<HttpAnswer> {
  init.signal?.throwIfAborted();
  const isSentAtOnce = !(init.body instanceof ReadableStream);
  for (;;) {
    const request = module.request(url, {
      method: init.method ?? 'GET',
      headers: headersOf(init),
      agent,
    });
    if (init.signal) endWith(request, init.signal);
    if (limitsConnect) limitConnect(request);
    try {
      return await answerTo(request, init);
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      // The coordinator has closed a kept connection while this was sent: it has not begun to answer.
      const wasClosed = (error as { code?: unknown }).code === 'ECONNRESET';
      if (!wasClosed || !request.reusedSocket || !isSentAtOnce || !isRepeatable(init)) throw error;
    }
  }
}

function isRepeatable({ method = 'GET' }: RequestInit): boolean {
  return ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method);
}

/** As `fetch` sends them. */
function headersOf({ headers, body }: RequestInit): Record<string, string> {
  const found = isRecord(headers) ? trimmed(headers) : Object.fromEntries(new Headers(headers));
  if (typeof body === 'string' && found['content-type'] === undefined) {
    found['content-type'] = 'text/plain;charset=UTF-8';
  }
  return found;
}

function isRecord(headers: RequestInit['headers']): headers is Record<string, string> {
  return headers !== undefined && !(headers instanceof Headers) && !Array.isArray(headers);
}

function trimmed(headers: Record<string, string>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    found[name.toLowerCase()] = value.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  }
  return found;
}

/** As the option of the same name does, which costs a tenth of a round trip. */
function endWith(request: HttpRequest, signal: AbortSignal): void {
  let answer: HttpAnswer | undefined;
  request.once('response', (begun) => (answer = begun));
  const end = () => {
    // First: an answer that has come and is not read would be emptied, and end as if that had been all.
    answer?.destroy(signal.reason as Error);
    request.destroy(signal.reason as Error);
  };
  signal.addEventListener('abort', end, { once: true });
  request.once('close', () => signal.removeEventListener('abort', end));
}

function limitConnect(request: HttpRequest): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' }));
    }, connectMs);
    const end = (): void => clearTimeout(timer);
    socket.once(socket.encrypted === true ? 'secureConnect' : 'connect', end);
    socket.once('close', end);
  });
}

function answerTo(request: HttpRequest, { body }: RequestInit): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('response', (answer) => {
      // What is said before all was sent is the answer to that: nothing more of it is read there.
      answer.once('end', () => {
        if (!request.writableFinished) request.destroy();
      });
      resolve(answer);
    });
    send(request, body).catch((error: unknown) => {
      const fault = error as Error;
      request.destroy(fault);
      reject(fault);
    });
  });
}

async function send(request: HttpRequest, body: RequestInit['body']): Promise<void> {
  if (body === undefined || body === null) return void request.end();
  if (typeof body === 'string' || body instanceof Uint8Array) return void request.end(body);
  const stream = (body instanceof ReadableStream
    ? body
    : new Response(body).body!) as unknown as ReadableStream<Uint8Array>;
  const reader = stream.getReader();
  try {
    for (;;) {
      if (request.destroyed) return await reader.cancel();
      const { done, value } = await reader.read();
      if (request.destroyed) return await reader.cancel();
      if (done) return void request.end();
      if (!request.write(value)) await drained(request);
    }
  } finally {
    reader.releaseLock();
  }
}

/** Also when the connection ends: the error of the request tells of it. */
function drained(request: HttpRequest): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      request.off('drain', end);
      request.off('close', end);
      resolve();
    };
    request.once('drain', end);
    request.once('close', end);
  });
}
