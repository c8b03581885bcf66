import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { inMemory } from './test/support/memory-folder.ts';
import { TallyReporter } from './test/support/tally-reporter.ts';

const filesInMemory = { env: inMemory, globalSetup: ['test/support/memory-folder.ts'] };
const SECOND_MS = 1_000;
const UNIT = [
  'src/**/*.test.ts',
  '{bench,examples,scripts}/**/*.test.ts',
  'test/{tidy,scenarios,support}/**/*.test.ts',
];
/** They measure the memory of their process, and what others have left there would count. */
const MEASURES_MEMORY = ['blobs', 'events', 'pressure', 'uploads', 'worker-socket'].map(
  (name) => `test/api/${name}.test.ts`,
);
const api = { setupFiles: ['test/support/compile-cache.ts'], ...filesInMemory };

export default defineConfig({
  test: {
    maxWorkers: 2,
    // As the times below: what is waited for comes in milliseconds, but for a busy machine.
    expect: { poll: { timeout: 30 * SECOND_MS } },
    reporters: ['default', new TallyReporter()],
    sequence: { sequencer: LongestFirst },
    // The tests run the same way as the program in a checkout: Node strips the types itself.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The times end what hangs. They are many times what a test needs, since a busy machine is no fault.
    projects: [
      // They need a server, which takes two seconds to begin: the inner loop does without.
      project('postgres', ['src/store/postgres/**/*.test.ts'], 60 * SECOND_MS, {
        isolate: false,
        globalSetup: ['src/store/postgres/testing/shared-server.ts'],
      }),
      // Files share their processes where nothing speaks against it, and with them what was imported and what the
      // engine has compiled: each file of its own took half of the time for that.
      project('unit', UNIT, 60 * SECOND_MS, {
        exclude: ['src/store/postgres/**'],
        isolate: false,
        ...filesInMemory,
      }),
      project('api', ['test/api/**/*.test.ts'], 60 * SECOND_MS, {
        exclude: MEASURES_MEMORY,
        isolate: false,
        ...api,
      }),
      project('api-memory', MEASURES_MEMORY, 60 * SECOND_MS, api),
      project('simulation', ['test/simulation/**/*.test.ts'], 300 * SECOND_MS),
      // Most of these wait most of the time, for a lease, a pause, the end of a process.
      project('e2e', ['test/e2e/**/*.test.ts'], 120 * SECOND_MS, {
        globalSetup: ['test/support/warm-setup.ts'],
        isolate: false,
        setupFiles: ['test/support/compile-cache.ts'],
        maxWorkers: 3,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
});

function project(
  name: string,
  include: string[],
  timeoutMs: number,
  options: {
    readonly exclude?: string[];
    readonly isolate?: boolean;
    readonly env?: Readonly<Record<string, string>>;
    readonly globalSetup?: string[];
    readonly setupFiles?: string[];
    readonly maxWorkers?: number;
    readonly sequence?: { readonly groupOrder: number };
  } = {},
) {
  return {
    extends: true as const,
    test: { name, include, testTimeout: timeoutMs, hookTimeout: timeoutMs, ...options },
  };
}
