import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from '../support/tally-reporter.ts';

const MINUTE_MS = 60_000;

// A run of its own: it fetches hundreds of packages from the registry, which no other test needs.
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/packages/*.test.ts'],
    reporters: ['default', new TallyReporter()],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 2 * MINUTE_MS,
    hookTimeout: 10 * MINUTE_MS,
  },
});
