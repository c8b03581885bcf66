// Starts the agent in a thread of a browser, with what the browser has.

import { createBrowserPayloadStore } from './browser-payload-store.ts';
import { probe } from './browser-telemetry.ts';
import { DeviceAgent } from './device-agent.ts';
import type { ExecutorFactory } from './device-life.ts';
import { IndexedEntries } from './kept-entries.ts';
import { OneTab } from './one-tab.ts';
import type { FromAgent } from './page-messages.ts';

/** `createExecutor`: of frames, which the page makes. */
export function startAgent(
  tell: (message: FromAgent) => void,
  createExecutor: ExecutorFactory,
): DeviceAgent {
  const { origin } = location;
  const hasChannels = typeof BroadcastChannel === 'function';
  return new DeviceAgent({
    tell,
    createExecutor,
    createPayloads: (token, onTransfer) => createBrowserPayloadStore({ origin, token, onTransfer }),
    entries: findEntries(),
    tab: new OneTab({
      // Only pages that came by HTTPS have locks.
      locks: (navigator as Partial<WorkerNavigator>).locks,
      openChannel: hasChannels ? () => new BroadcastChannel('muster-worker') : null,
      random: Math.random,
    }),
    wire: {
      fetch: (path, request) => fetch(origin + path, request),
      openSocket: (path, protocols) =>
        new WebSocket(origin.replace(/^http/, 'ws') + path, protocols),
    },
    random: Math.random,
    probeMs: probe,
    epochMs: Date.now,
    monotonicMs: () => performance.now(),
    isSecure: isSecureContext,
  });
}

/** A browser may refuse the very name. */
function findEntries(): IndexedEntries | null {
  try {
    return typeof indexedDB === 'undefined' ? null : new IndexedEntries(indexedDB);
  } catch {
    return null;
  }
}
