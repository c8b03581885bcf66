// Requests with Node's own `http` and `https` instead of `fetch`: a round trip costs a third of the time.

import type { Ask } from './answer.ts';
import { NodeAnswer } from './node-answer.ts';
import { exchange, type ExchangeOptions } from './node-exchange.ts';
import { findNodeModules, type NodeModules } from './node-modules.ts';
import { pinningAgent } from './pinned-fetch.ts';

/** One for all clients: connections are used by whoever comes next. */
let shared: ReturnType<typeof agentsOf> | undefined;

/** To be called where `isNode`. */
export function createNodeAsk(): Ask {
  const { http, https } = (shared ??= agentsOf(findNodeModules()!));
  return async (url, init) =>
    new NodeAnswer(await exchange(url.startsWith('https:') ? https : http, url, init));
}

/** To be called where `canPin`. Nothing is sent to another than the one with this pin. */
export function createPinnedAsk(pin: string): Ask {
  const options = pinningAgent(findNodeModules()!, pin);
  return async (url, init) => new NodeAnswer(await exchange(options, url, init));
}

function agentsOf({ http, https }: NodeModules) {
  const of = (module: NodeModules['http']): ExchangeOptions => ({
    module,
    agent: new module.Agent({ keepAlive: true }),
    limitsConnect: true,
  });
  return { http: of(http), https: of(https) };
}
