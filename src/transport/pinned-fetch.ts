// A `fetch` for one pinned certificate, in Node. The platform's own cannot be told what to take, and the SDK
// depends on no package, so this is made of `node:https`.

import { exchange, type ExchangeOptions } from './node-exchange.ts';
import { findNodeModules, type HttpAnswer, type NodeModules } from './node-modules.ts';
import { connectPinned } from './pinned-connection.ts';

export type PinnedFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** To be called where `canPin`. */
export function createPinnedFetch(pin: string): PinnedFetch {
  const node = findNodeModules()!;
  const options = pinningAgent(node, pin);
  return async (url, init = {}) => {
    const answer = await exchange(options, url, init);
    try {
      return responseOf(node, answer);
    } catch (error) {
      answer.destroy();
      const why = `no answer has such a status or header: ${(error as Error).message}`;
      throw new Error(why, { cause: error });
    }
  };
}

/** Connections that are given out only when the pin was compared. */
export function pinningAgent(node: NodeModules, pin: string): ExchangeOptions {
  const agent = new node.https.Agent({ keepAlive: true });
  agent.createConnection = (target, callback) => {
    connectPinned(node, target, pin, callback);
    return undefined;
  };
  return { module: node.https, agent, limitsConnect: false };
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
