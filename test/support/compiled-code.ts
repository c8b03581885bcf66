// Where Node keeps the sources as it has compiled them, for all processes of all tests.

import { join } from 'node:path';

/** As `bin/muster` has it. */
export const compileCacheDir = join(
  import.meta.dirname,
  '..',
  '..',
  'node_modules',
  '.cache',
  'muster',
);
