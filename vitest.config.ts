import { defineConfig } from 'vitest/config';
import { TallyReporter } from './test/support/tally-reporter.ts';

const SECOND_MS = 1_000;
const UNIT = [
  'src/**/*.test.ts',
  '{examples,scripts}/**/*.test.ts',
  'test/{tidy,scenarios}/**/*.test.ts',
];

export default defineConfig({
  test: {
    // Two at a time: the e2e ring starts processes of its own.
    maxWorkers: 2,
    reporters: ['default', new TallyReporter()],
    // The tests run the same way as the program: Node strips the types itself.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The times end what hangs. They are many times what a test needs, since a busy machine is no fault.
    projects: [
      // Its files share their processes, and with them what was imported: loading the same modules anew
      // for each file took half of the time.
      project('unit', UNIT, 60 * SECOND_MS, { isolate: false }),
      project('api', ['test/api/**/*.test.ts'], 60 * SECOND_MS),
      project('simulation', ['test/simulation/**/*.test.ts'], 300 * SECOND_MS),
      project('e2e', ['test/e2e/**/*.test.ts'], 120 * SECOND_MS, {
        globalSetup: ['test/support/warm-setup.ts'],
      }),
    ],
  },
});

function project(
  name: string,
  include: string[],
  timeoutMs: number,
  options: { readonly isolate?: boolean; readonly globalSetup?: string[] } = {},
) {
  return {
    extends: true as const,
    test: { name, include, testTimeout: timeoutMs, hookTimeout: timeoutMs, ...options },
  };
}
