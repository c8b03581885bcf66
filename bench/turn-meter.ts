// Loaded into a process that is measured (`--import`): it measures the longest turn of the event
// loop in processor time, so that other load of the machine does not count. At each SIGUSR2 it
// writes the value to the file that MUSTER_BENCH_TURNS names, and begins anew.

import { writeFileSync } from 'node:fs';

let longestMs = 0;
let last = process.threadCpuUsage();

// Everything between two of these calls is one stall for a request that waits.
setInterval(() => {
  const used = process.threadCpuUsage(last);
  last = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (used.user + used.system) / 1000);
}, 1).unref();

process.on('SIGUSR2', () => {
  writeFileSync(process.env['MUSTER_BENCH_TURNS']!, String(longestMs));
  longestMs = 0;
});
