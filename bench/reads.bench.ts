// Long answers while tasks keep flowing: a job of a million tasks, a list of a hundred thousand jobs.
// Measured are the coordinator's memory above idle, and how long other requests had to wait.

import { connect } from '../src/client/index.ts';
import { type Cluster, memoryMb, startCluster } from './cluster.ts';
import { probeHealth } from './health-probe.ts';

const noop = { kind: 'javascript', source: 'export default (n) => n;' } as const;
/** A task so slow that a million of them cannot be completed during the measurement. */
const slow = {
  kind: 'javascript',
  source:
    'export default (n) => { let x = n; for (let i = 0; i < 3e5; i++) x += i % 7; return x; };',
} as const;

export async function benchReads(
  print: (line: string) => void,
  { tasks = 1_000_000, jobs = 100_000 }: { tasks?: number; jobs?: number } = {},
): Promise<void> {
  const cluster = await startCluster(2);
  try {
    const idle = memoryMb(cluster.pid)?.now ?? 0;
    print(`idle: ${idle.toFixed(0)} MB`);
    const muster = connect(cluster.url);
    const large = await muster.submit({
      program: noop,
      inputs: { range: { start: 0, count: tasks } },
    });
    await untilDone(cluster, large.id);
    const open = await muster.submit({
      program: slow,
      inputs: { range: { start: 0, count: tasks } },
    });
    const path = `/api/jobs/${large.id}`;
    await measure(cluster, print, `GET /api/jobs/{id}, ${tasks} tasks, all done`, path, idle);
    const openPath = `/api/jobs/${open.id}`;
    await measure(cluster, print, `GET /api/jobs/{id}, ${tasks} tasks, open`, openPath, idle);
    await submitMany(cluster, jobs);
    await measure(cluster, print, `GET /api/jobs, ${jobs + 2} jobs`, '/api/jobs', idle);
  } finally {
    await cluster.stop();
  }
}

async function measure(
  cluster: Cluster,
  print: (line: string) => void,
  name: string,
  path: string,
  idleMb: number,
): Promise<void> {
  const before = await completedTasks(cluster);
  const beforeMb = memoryMb(cluster.pid)?.now ?? 0;
  const probe = probeHealth(cluster.url);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryMb(cluster.pid)?.now ?? 0);
  }, 10);
  const startedAt = performance.now();
  const answer = await fetch(`${cluster.url}${path}`);
  let bytes = 0;
  for await (const chunk of answer.body!) bytes += chunk.length;
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(watch);
  const longest = await probe.stop();
  const flowed = (await completedTasks(cluster)) - before;
  print(
    `${name}: ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s, ` +
      `peak RSS ${(peak - idleMb).toFixed(0)} MB above idle (${(peak - beforeMb).toFixed(0)} MB above before), longest /healthz ${longest.toFixed(0)} ms, ` +
      `${flowed} tasks completed meanwhile`,
  );
}

async function untilDone(cluster: Cluster, id: string): Promise<void> {
  const answer = await fetch(`${cluster.url}/api/jobs/${id}/results?follow=true`);
  for await (const chunk of answer.body!) void chunk;
}

async function completedTasks(cluster: Cluster): Promise<number> {
  return (await connect(cluster.url).stats()).total_tasks_completed;
}

/** Many small jobs, some at a time. They wait behind the large one. */
async function submitMany(cluster: Cluster, count: number): Promise<void> {
  const muster = connect(cluster.url);
  let next = 0;
  const submitter = async () => {
    while (next++ < count) await muster.submit({ program: noop, inputs: [1] });
  };
  await Promise.all(Array.from({ length: 32 }, submitter));
}
