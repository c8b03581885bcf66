// Loaded into a process that is measured (`--import`): the longest turn of its event loop in processor
// time, so that a machine that is busy with other things does not count. At each SIGUSR2 it is written
// to the file that MUSTER_BENCH_TURNS names, and begins anew.

import { writeFileSync } from 'node:fs';

let longestMs = 0;
let last = process.threadCpuUsage();

// Everything that runs between two of these is one stall for whoever waits for an answer.
setInterval(() => {
  const used = process.threadCpuUsage(last);
  last = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (used.user + used.system) / 1000);
}, 1).unref();

process.on('SIGUSR2', () => {
  writeFileSync(process.env['MUSTER_BENCH_TURNS']!, String(longestMs));
  longestMs = 0;
});
