// Lets the processes of one device after the other go on, and stops them at the end of their window. A thread,
// because it must be on time: it sleeps in the kernel and does nothing else.

import { parentPort, workerData } from 'node:worker_threads';
import { isEnded, type LaneTable, pidsOf, sleep } from './lane-table.ts';
import { Turns } from './turns.ts';

export interface ThrottleOrder {
  readonly lanes: LaneTable;
  /** Of one core, by lane. */
  readonly shares: readonly number[];
  readonly turnMs: number;
}

const { lanes, shares, turnMs } = workerData as ThrottleOrder;

function signal(lane: number, name: NodeJS.Signals): void {
  for (const pid of pidsOf(lanes, lane)) {
    try {
      // Each is the leader of a group, with whatever it has around it.
      process.kill(-pid, name);
    } catch {
      // It has ended; the table will know in a moment.
    }
  }
}

function sleepUntil(at: number): void {
  while (!isEnded(lanes)) {
    const leftMs = at - performance.now();
    if (leftMs <= 0) return;
    sleep(lanes, leftMs);
  }
}

for (const lane of shares.keys()) signal(lane, 'SIGSTOP');
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
parentPort!.postMessage('all are stopped');
const turns = new Turns(shares, turnMs, performance.now());
while (!isEnded(lanes)) {
  for (const lane of shares.keys()) {
    const forMs = turns.windowMs(lane);
    if (forMs <= 0) continue;
    const from = performance.now();
    signal(lane, 'SIGCONT');
    sleepUntil(from + forMs);
    signal(lane, 'SIGSTOP');
    turns.ran(lane, performance.now() - from);
  }
  sleepUntil(turns.next(performance.now()));
}
for (const lane of shares.keys()) signal(lane, 'SIGCONT');
