// Loaded into a process that is measured (`--expose-gc --import`): at each SIGUSR2 it collects
// garbage and writes the size of the heap, in MB, to the file that MUSTER_BENCH_HEAP names.

import { writeFileSync } from 'node:fs';

const megabyte = 1024 * 1024;

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const left = { heap: heapUsed / megabyte, resident: rss / megabyte };
  writeFileSync(process.env['MUSTER_BENCH_HEAP']!, JSON.stringify(left));
});
