// The thread in which a running coordinator has its database checked, over a connection of its own. After
// each slice it pauses four times as long, so that it takes little of the disk and the processor. Its last
// message is the report.

import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openForReading } from '../file/inspect.ts';
import { StoreCheck } from './store-check.ts';

const pausePerWork = 4;

const reading = openForReading(workerData as string);
try {
  reading.db.exec('pragma cache_size = -2048');
  const check = new StoreCheck(reading.db);
  for (;;) {
    const beganAt = performance.now();
    if (!check.step()) break;
    await pause((performance.now() - beganAt) * pausePerWork);
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort!.postMessage(check.report);
} finally {
  reading.close();
}
