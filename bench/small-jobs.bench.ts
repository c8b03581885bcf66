// What many small jobs cost the executor: agent process, one slot, real sandbox children, no
// coordinator. Jobs of one owner share a child; jobs of several take turns, so that each turn needs a
// child of its own.
// Run: node bench/small-jobs.bench.ts

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutorEvent, ExecutorTask } from '../src/worker/executor.ts';
import { BuiltCode } from '../src/worker/node/built-code.ts';
import { narrowingFlags } from '../src/worker/node/confinement/node-flags.ts';
import { createNodeExecutor, type NodeExecutor } from '../src/worker/node/node-executor.ts';

const tasksPerJob = 50;
/** The machine of a worker hands over tasks this short in batches of this size. */
const batch = 128;

/** Folder of the built code, which the children of a worker run from its second start on. */
let codeDir = '';

type Print = (line: string) => void;

export async function benchSmallJobs(print: Print): Promise<void> {
  codeDir = mkdtempSync(join(tmpdir(), 'muster-bench-code-'));
  try {
    await new BuiltCode(codeDir, process.execPath, narrowingFlags(process.execPath)).build();
    await benchWithBuiltCode(print);
  } finally {
    rmSync(codeDir, { recursive: true });
  }
}

async function benchWithBuiltCode(print: Print): Promise<void> {
  print(`start of a child: ${(await measureStart()).toFixed(0)} ms (median of 5)`);
  const one = await Play.measure((play) => play.oneJob(200_000));
  print(`no-op tasks of one job: ${rate(one)}`);
  const ofOne = await Play.measure((play) => play.jobs(200, ['one']));
  print(`200 jobs of ${tasksPerJob} tasks of one owner: ${rate(ofOne)}, ${pids(ofOne)}`);
  const many = await Play.measure((play) => play.jobs(5_000, ['one']));
  const { first, last } = many.residentMb;
  print(`5,000 jobs of ${tasksPerJob} tasks of one owner: ${rate(many)}, ${pids(many)}`);
  print(`  agent ${first.agent} MB after 500 jobs, ${last.agent} MB at the end`);
  print(`  child ${first.child} MB after 500 jobs, ${last.child} MB at the end`);
  const owners = Array.from({ length: 10 }, (_, i) => `owner-${i}`);
  const turns = await Play.measure((play) => play.jobs(100, owners));
  const turnMs = (1000 * turns.seconds) / 100;
  print(
    `200 jobs of ${tasksPerJob} tasks, ten owners taking turns: ${rate(turns)}, ${pids(turns)}`,
  );
  print(`  ${turnMs.toFixed(0)} ms a turn, ${turns.shared} processes served two owners`);
}

function rate({ tasks, seconds }: Measurement): string {
  return `${Math.round(tasks / seconds).toLocaleString('en')} tasks/s`;
}

function pids({ processes }: Measurement): string {
  return `${processes} ${processes === 1 ? 'process' : 'processes'}`;
}

interface Resident {
  readonly agent: number;
  readonly child: number;
}

interface Measurement {
  readonly tasks: number;
  readonly seconds: number;
  /** Processes that completed a task. */
  readonly processes: number;
  /** Processes that completed tasks of more than one owner. */
  readonly shared: number;
  /** In MB, after a tenth of the jobs and at the end. */
  readonly residentMb: { readonly first: Resident; readonly last: Resident };
}

/** Hands over tasks, two batches ahead, and waits for the last outcome. */
class Play {
  readonly #executor: NodeExecutor;
  readonly #ownersOf = new Map<number, Set<string>>();
  readonly #owners = new Map<string, string>();
  #first: Resident | null = null;
  #given = 0;
  #done = 0;
  #onOutcomes: () => void = () => {};

  static async measure(run: (play: Play) => Promise<void>): Promise<Measurement> {
    const play = new Play();
    try {
      await play.#pass(1, 100, ['one'], 'warm');
      play.#ownersOf.clear();
      const before = play.#done;
      const startedAt = performance.now();
      await run(play);
      const seconds = (performance.now() - startedAt) / 1000;
      const shared = [...play.#ownersOf.values()].filter(({ size }) => size > 1).length;
      const last = play.#resident();
      return {
        tasks: play.#done - before,
        seconds,
        processes: play.#ownersOf.size,
        shared,
        residentMb: { first: play.#first ?? last, last },
      };
    } finally {
      await play.#executor.close();
    }
  }

  constructor() {
    this.#executor = createNodeExecutor({
      slots: 1,
      isolation: 'off',
      codeDir,
      listener: (event) => this.#hear(event),
    });
  }

  oneJob(tasks: number): Promise<void> {
    return this.#pass(1, tasks, ['one'], 'large');
  }

  /** The owners take turns, a job at a time. */
  jobs(count: number, owners: readonly string[]): Promise<void> {
    return this.#pass(count, tasksPerJob, owners, 'small');
  }

  #pass(jobs: number, size: number, owners: readonly string[], name: string): Promise<void> {
    const total = this.#given + jobs * size;
    const from = this.#given;
    return new Promise((resolve) => {
      this.#onOutcomes = () => {
        while (this.#given < total && this.#given - this.#done < 2 * batch) {
          const job = Math.floor((this.#given - from) / size);
          const left = size - ((this.#given - from) % size);
          this.#give(`${name}-${job}`, owners[job % owners.length]!, Math.min(batch, left));
          if (jobs >= 10 && job === jobs / 10) this.#first ??= this.#resident();
        }
        if (this.#done === total) resolve();
      };
      this.#onOutcomes();
    });
  }

  #give(jobId: string, owner: string, count: number): void {
    const source = `export default (n) => n /* ${jobId} */`;
    const program = { jobId, kind: 'javascript', source, checkpointIntervalMs: null } as const;
    const tasks = Array.from({ length: count }, (): ExecutorTask => {
      const index = this.#given++;
      const taskId = `task-${index}`;
      this.#owners.set(taskId, owner);
      const fresh = { attempt: 1, stateJson: null, progress: 0, timeoutMs: 3_600_000 };
      return { key: taskId, owner, taskId, index, inputJson: String(index), ...fresh };
    });
    this.#executor.run(0, program, tasks);
  }

  #hear(event: ExecutorEvent): void {
    if (event.type === 'returned') throw new Error('the child ended by itself');
    if (event.type !== 'finished') return;
    const pid = this.#executor.childPids()[0]!;
    const owners = this.#ownersOf.get(pid) ?? new Set();
    this.#ownersOf.set(pid, owners);
    for (const outcome of event.outcomes) {
      if (outcome.type !== 'result') throw new Error(JSON.stringify(outcome));
      owners.add(this.#owners.get(outcome.key)!);
      this.#owners.delete(outcome.key);
    }
    this.#done += event.outcomes.length;
    this.#onOutcomes();
  }

  #resident(): Resident {
    const child = this.#executor.childPids()[0]!;
    return { agent: residentMb(process.pid), child: residentMb(child) };
  }
}

/** Zero where it cannot be read. */
function residentMb(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return Math.round((pages * 4096) / 1024 / 1024);
  } catch {
    return 0;
  }
}

/** Time from the start of an executor to its first result: how long a slot without a spare waits. */
async function measureStart(): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < 5; i++) {
    const startedAt = performance.now();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const executor = createNodeExecutor({
      slots: 1,
      isolation: 'off',
      codeDir,
      listener: (event) => {
        if (event.type === 'finished') finish();
      },
    });
    const source = 'export default () => 1';
    const program = {
      jobId: 'start',
      kind: 'javascript',
      source,
      checkpointIntervalMs: null,
    } as const;
    const task = { key: 't', owner: 'one', taskId: 't', index: 0, attempt: 1, inputJson: '1' };
    executor.run(0, program, [{ ...task, stateJson: null, progress: 0, timeoutMs: null }]);
    await finished;
    took.push(performance.now() - startedAt);
    await executor.close();
  }
  return took.toSorted((a, b) => a - b)[2]!;
}

if (import.meta.main) await benchSmallJobs(console.log);
