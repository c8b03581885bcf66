// Processes of this machine as the place for the shared cases of sandboxes.

import { createContext, runInContext } from 'node:vm';
import { ExecutorHarness } from './executor-harness.ts';
import type { SandboxPlace } from './sandbox-place.ts';

export function pcPlace(bubblewrap: 'off' | 'auto' = 'off'): SandboxPlace {
  return {
    name: `processes with bubblewrap ${bubblewrap}`,
    open: (options = {}) => new ExecutorHarness({ isolation: bubblewrap, ...options }),
    bodyOf: ({ body }) => body,
    isOpen: ({ isOpen }) => isOpen,
    tellsLines: true,
    // oxlint-disable-next-line typescript/no-implied-eval -- our own code, unconfined on purpose
    outside: (text) => outcomeOf(() => new Function(`return ${text}`)() as Run),
    inFreshRealm: (text) => {
      const context = createContext({ console: { log() {} }, setTimeout() {} });
      return outcomeOf(() => runInContext(`(${text})`, context) as Run);
    },
  };
}

type Run = () => Promise<unknown>;

async function outcomeOf(make: () => Run): Promise<unknown> {
  try {
    return await make()();
  } catch {
    return 'threw';
  }
}
