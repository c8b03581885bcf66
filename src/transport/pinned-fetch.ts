// A `fetch` for one pinned certificate, in Node. The platform's own cannot be told what to take, and the SDK
// depends on no package, so this is made of `node:https`. Connections are kept and used again. It follows
// no redirection: a coordinator sends none.

import {
  findNodeModules,
  type HttpAnswer,
  type HttpRequest,
  type NodeModules,
} from './node-modules.ts';
import { connectPinned } from './pinned-connection.ts';

export type PinnedFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** To be called where `canPin`. */
export function createPinnedFetch(pin: string): PinnedFetch {
  const node = findNodeModules()!;
  const agent = new node.https.Agent({ keepAlive: true });
  agent.createConnection = (target, callback) => {
    connectPinned(node, target, pin, callback);
    return undefined;
  };
  return async (url, init = {}) => {
    init.signal?.throwIfAborted();
    const isSentAtOnce = !(init.body instanceof ReadableStream);
    for (;;) {
      const request = node.https.request(url, {
        method: init.method ?? 'GET',
        headers: headersOf(init),
        agent,
        ...(init.signal ? { signal: init.signal } : {}),
      });
      try {
        return await exchange(node, request, init);
      } catch (error) {
        // The coordinator has closed a kept connection while this was sent: it has not begun to answer.
        const wasClosed = (error as { code?: unknown }).code === 'ECONNRESET';
        if (!wasClosed || !request.reusedSocket || !isSentAtOnce || !isRepeatable(init))
          throw error;
      }
    }
  };
}

function isRepeatable({ method = 'GET' }: RequestInit): boolean {
  return ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method);
}

function headersOf({ headers, body }: RequestInit): Record<string, string> {
  const found = Object.fromEntries(new Headers(headers));
  if (typeof body === 'string' && found['content-type'] === undefined) {
    found['content-type'] = 'text/plain;charset=UTF-8';
  }
  return found;
}

function exchange(
  node: NodeModules,
  request: HttpRequest,
  { body }: RequestInit,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('response', (answer) => {
      try {
        resolve(responseOf(node, answer));
      } catch (error) {
        // A status or a header that no `Response` can have; thrown here it would end the process.
        request.destroy();
        const why = `no answer has such a status or header: ${(error as Error).message}`;
        reject(new Error(why, { cause: error }));
      }
    });
    send(request, body).catch((error: unknown) => {
      const fault = error as Error;
      request.destroy(fault);
      reject(fault);
    });
  });
}

function responseOf(node: NodeModules, answer: HttpAnswer): Response {
  const status = answer.statusCode ?? 0;
  const isEmpty = status === 204 || status === 304;
  const content = node.stream.Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>;
  if (isEmpty) void content.cancel();
  const headers = new Headers();
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    headers.append(answer.rawHeaders[i]!, answer.rawHeaders[i + 1]!);
  }
  const statusText = answer.statusMessage ?? '';
  return new Response(isEmpty ? null : content, { status, statusText, headers });
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
      const { done, value } = await reader.read();
      if (done) return void request.end();
      if (request.destroyed) return await reader.cancel();
      if (!request.write(value)) await drained(request);
    }
  } finally {
    reader.releaseLock();
  }
}

/** Also when the connection ends: the error of the request tells of it. */
function drained(request: HttpRequest): Promise<void> {
  return new Promise((resolve) => {
    request.once('drain', resolve);
    request.once('close', resolve);
  });
}
