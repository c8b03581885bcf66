// Whether the memory of a coordinator stays flat, over any number of no-op tasks in jobs of 50, on 50
// workers. The jobs stay in the store; only the memory of the process is measured.
// Run: node bench/long-run.bench.ts [TASKS]

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../src/client/index.ts';
import { startCluster } from './cluster.ts';
import { Crowd } from './crowd.ts';

const workers = 50;
const tasksPerJob = 50;
/** Submissions under way at once, and tasks that are submitted and not done. */
const clients = 8;
const openTasksMax = 4000;
const source = 'export default (n) => n';

export async function benchLongRun(
  print: (line: string) => void,
  tasks = 1_000_000,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-heap-'));
  const file = join(folder, 'heap.json');
  const flags = ['--expose-gc', '--import', join(import.meta.dirname, 'heap-meter.ts')];
  const cluster = await startCluster(0, [], flags, { MUSTER_BENCH_HEAP: file });
  try {
    const crowd = await Crowd.join(cluster.url, { workers, slots: 4 });
    print('tasks          seconds   tasks/s   heap MB   resident MB   store MB');
    const startedAt = performance.now();
    const step = Math.min(1_000_000, Math.ceil(tasks / 10));
    const row = async (done: number) => {
      const seconds = (performance.now() - startedAt) / 1000;
      const { heap, resident } = await measure(cluster.pid, file);
      const storeMb = statSync(join(cluster.folder, 'muster.db')).size / 1024 / 1024;
      const figures = [seconds, done / seconds, heap, resident, storeMb];
      const widths = [7, 9, 9, 13, 10];
      const cells = figures.map((figure, i) => figure.toFixed(0).padStart(widths[i]!));
      print([String(done).padEnd(14), ...cells].join(' '));
    };
    for (let done = 0; done < tasks; ) {
      const end = Math.min(tasks, done + step);
      await submitAll(cluster.url, crowd, done, end);
      done = end;
      await row(done);
    }
    if (crowd.closed > 0) throw new Error(`${crowd.closed} workers were lost.`);
    crowd.leave();
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Submits tasks from one number to another; resolves when the last one is acknowledged. */
async function submitAll(url: string, crowd: Crowd, from: number, to: number): Promise<void> {
  const client = connect(url);
  let submitted = from;
  const submit = async () => {
    while (submitted < to) {
      if (submitted - crowd.acknowledged > openTasksMax) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      const count = Math.min(tasksPerJob, to - submitted);
      submitted += count;
      const inputs = { range: { start: 0, count } };
      await client.submit({ program: { kind: 'javascript', source }, inputs });
    }
  };
  await Promise.all(Array.from({ length: clients }, submit));
  while (crowd.acknowledged < to) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function measure(pid: number, file: string): Promise<{ heap: number; resident: number }> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as { heap: number; resident: number };
    } catch {
      // The file is not written yet, or only in part.
    }
  }
}

if (import.meta.main) await benchLongRun(console.log, Number(process.argv[2] ?? 1_000_000));
