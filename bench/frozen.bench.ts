// What a standstill of the coordinator costs: it is stopped for 30 s, two leases long, while 50 workers
// run its tasks and send heartbeats on time. No worker may be lost, and no attempt charged.
// Run: node bench/frozen.bench.ts

import { connect } from '../src/client/index.ts';
import { startCluster } from './cluster.ts';
import { Crowd } from './crowd.ts';

const workers = 50;
const frozenMs = 30_000;
const tasks = 20_000;
const taskMs = 1000;

export async function benchFrozen(print: (line: string) => void): Promise<void> {
  const cluster = await startCluster(0);
  try {
    const crowd = await Crowd.join(cluster.url, { workers, slots: 4, taskMs });
    const client = connect(cluster.url);
    const source = 'export default (n) => n';
    const inputs = { range: { start: 0, count: tasks } };
    const job = await client.submit({ program: { kind: 'javascript', source }, inputs });
    await until(() => crowd.acknowledged > workers * 4);
    const before = crowd.acknowledged;
    process.kill(cluster.pid, 'SIGSTOP');
    await pause(frozenMs);
    process.kill(cluster.pid, 'SIGCONT');
    // Two rounds of tasks, and longer than any deadline that might be due.
    await pause(20_000);
    await until(() => crowd.acknowledged > before + workers * 8);
    const events = await client.recoveryEvents();
    const again = await attemptsBeyondTheFirst(cluster.url, job.id);
    print(
      `stopped for ${frozenMs / 1000} s with ${workers} workers, ${workers * 4} tasks at a time`,
    );
    print(`connections ended by the coordinator: ${crowd.closed} of ${workers}`);
    print(`started attempts taken for lost: ${events.length}`);
    print(`tasks that needed another attempt: ${again}`);
    print(`results acknowledged before ${before}, 20 s after ${crowd.acknowledged}`);
    crowd.leave();
  } finally {
    await cluster.stop();
  }
}

async function attemptsBeyondTheFirst(url: string, jobId: string): Promise<number> {
  const answer = await fetch(`${url}/api/jobs/${jobId}`);
  const { tasks: all } = (await answer.json()) as { tasks: readonly { attempt: number }[] };
  return all.filter(({ attempt }) => attempt > 1).length;
}

async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await pause(50);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

if (import.meta.main) await benchFrozen(console.log);
