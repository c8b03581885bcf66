// Requests with Node's own `http` and `https` instead of `fetch`: a round trip costs a third of the time.

import type { Ask } from './answer.ts';
import { NodeAnswer } from './node-answer.ts';
import { exchange, type ExchangeOptions } from './node-exchange.ts';
import { findNodeModules, type NodeModules } from './node-modules.ts';
import { pinningAgent } from './pinned-fetch.ts';

/** One for all clients: connections are used by whoever comes next. */
let shared: ReturnType<typeof agentsOf> | undefined;

/** To be called where `isNode`. What somebody has made of `fetch`, a way through a proxy for example, is used as it is. */
export function createNodeAsk(): Ask {
  const { http, https } = (shared ??= agentsOf(findNodeModules()!));
  return async (url, init) => {
    if (hasDispatcher()) return fetch(url, init);
    return new NodeAnswer(await exchange(url.startsWith('https:') ? https : http, url, init));
  };
}

/** Where Node and the package undici keep it; there is none before the first call, but for `NODE_USE_ENV_PROXY`. */
const dispatchers = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));
const usualDispatchers: ReadonlySet<string> = new Set(['Agent', 'Dispatcher1Wrapper']);

function hasDispatcher(): boolean {
  const known = globalThis as Record<symbol, { constructor?: { name?: string } } | undefined>;
  return dispatchers.some((symbol) => {
    const name = known[symbol]?.constructor?.name;
    return name !== undefined && !usualDispatchers.has(name);
  });
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
