// A process that builds the pages: bundling would keep the loop of a coordinator busy for a second.

import { setPriority } from 'node:os';
import type { PagesOrder } from './build-order.ts';
import { buildFolder } from './build-folder.ts';

try {
  // Below those whose pages it makes.
  setPriority(10);
} catch {
  // Some systems do not let a process lower its own priority.
}

await buildFolder(JSON.parse(process.argv[2] ?? '{}') as PagesOrder);
