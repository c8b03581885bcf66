// A client for tests: a list of answers takes the place of its coordinator.

import { connect, type ConnectOptions, type MusterClient } from '../index.ts';

export type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

export interface ScriptedClient {
  readonly client: MusterClient;
  readonly requests: readonly { readonly url: string; readonly init: RequestInit }[];
}

/** A client whose requests are answered one after the other by the given answers. */
export function clientOf(
  answers: readonly Answer[],
  options: Omit<ConnectOptions, 'fetch'> = {},
): ScriptedClient {
  const requests: { readonly url: string; readonly init: RequestInit }[] = [];
  const waiting = [...answers];
  const client = connect('http://coordinator:8000/', {
    ...options,
    fetch: async (url, init) => {
      requests.push({ url, init });
      const answer = waiting.shift();
      if (answer === undefined) throw new Error('one request too many');
      return answer(url, init);
    },
  });
  return { client, requests };
}

export const json =
  (body: unknown, init: ResponseInit = {}): Answer =>
  () =>
    Response.json(body, init);

/** Hangs until the request is aborted, as a server that does not answer. */
export const silent: Answer = (_url, { signal }) =>
  new Promise((_resolve, reject) => {
    if (signal?.aborted === true) reject(signal.reason as Error);
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });

export const unreachable: Answer = () => {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  });
};

/** Sends lines, then ends in order or breaks. */
export const stream =
  (lines: readonly string[], isBroken: boolean): Answer =>
  () => {
    const waiting = lines.map((text) => new TextEncoder().encode(text));
    return new Response(
      new ReadableStream({
        pull(controller) {
          const next = waiting.shift();
          if (next !== undefined) controller.enqueue(next);
          else if (isBroken) controller.error(new TypeError('terminated'));
          else controller.close();
        },
      }),
    );
  };
