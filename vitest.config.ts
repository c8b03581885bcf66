import { defineConfig } from 'vitest/config';
import { compileCacheDir } from './test/support/compiled-code.ts';
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
const compiledOnce = { setupFiles: ['test/support/compile-cache.ts'] };

export default defineConfig({
  test: {
    // Twice the cores of a small machine: of four files that run, two mostly wait.
    maxWorkers: 4,
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
        ...compiledOnce,
        globalSetup: ['src/store/postgres/testing/shared-server.ts'],
      }),
      // Files share their processes where nothing speaks against it, and with them what was imported and what the
      // engine has compiled: each file of its own took half of the time for that.
      project('unit', UNIT, 60 * SECOND_MS, {
        exclude: ['src/store/postgres/**'],
        isolate: false,
        ...compiledOnce,
        ...filesInMemory,
      }),
      project('api', ['test/api/**/*.test.ts'], 60 * SECOND_MS, {
        exclude: MEASURES_MEMORY,
        isolate: false,
        ...compiledOnce,
        ...filesInMemory,
      }),
      project('api-memory', MEASURES_MEMORY, 60 * SECOND_MS, { ...compiledOnce, ...filesInMemory }),
      // In the environment, which threads of the lab inherit: one that reads the sources anew needs a second to begin.
      project('simulation', ['test/simulation/**/*.test.ts'], 300 * SECOND_MS, {
        env: { NODE_COMPILE_CACHE: compileCacheDir },
      }),
      project('e2e', ['test/e2e/**/*.test.ts'], 120 * SECOND_MS, {
        globalSetup: ['test/support/warm-setup.ts'],
        isolate: false,
        ...compiledOnce,
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
  } = {},
) {
  return {
    extends: true as const,
    test: { name, include, testTimeout: timeoutMs, hookTimeout: timeoutMs, ...options },
  };
}
