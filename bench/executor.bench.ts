// How fast the executor alone is: agent process, one sandbox child, no coordinator.
// Run: node bench/executor.bench.ts

import type { ExecutorEvent, ExecutorProgram, ExecutorTask } from '../src/worker/executor.ts';
import { createNodeExecutor, type NodeExecutor } from '../src/worker/node/node-executor.ts';
import { benchCheckpoints } from './checkpoint-overhead.ts';

interface Measurement {
  readonly name: string;
  readonly tasks: number;
  readonly seconds: number;
}

const programs: Readonly<Record<string, string>> = {
  'no-op function': 'export default (input) => input',
  'no-op async function': 'export default async (input) => input',
  'generator, one yield': 'export default function* (input) { yield; return input }',
};

/** Hands over `tasks` attempts in batches, two batches ahead, and waits for the last outcome. */
async function measure(name: string, tasks: number, batch: number): Promise<Measurement> {
  const inbox = new Inbox();
  const executor = createNodeExecutor({ slots: 1, isolation: 'off', listener: inbox.listener });
  const program: ExecutorProgram = {
    jobId: name,
    kind: 'javascript',
    source: programs[name] ?? '',
    checkpointIntervalMs: null,
  };
  await inbox.pass(executor, program, 20_000, batch);
  const startedAt = performance.now();
  await inbox.pass(executor, program, tasks, batch);
  const seconds = (performance.now() - startedAt) / 1000;
  await executor.close();
  return { name: `${name}, batches of ${batch}`, tasks, seconds };
}

/** Jobs of one task with one program, one after the other: what a job costs the child beside its task. */
async function measureJobs(print: Print, jobs: number): Promise<void> {
  const inbox = new Inbox();
  const executor = createNodeExecutor({ slots: 1, isolation: 'off', listener: inbox.listener });
  const source = programs['no-op function'] ?? '';
  const pass = async (name: string, count: number) => {
    for (let i = 0; i < count; i++) {
      const program = {
        jobId: `${name}-${i}`,
        kind: 'javascript',
        source,
        sha256: 'same',
      } as const;
      await inbox.pass(executor, { ...program, checkpointIntervalMs: null }, 1, 1);
    }
  };
  await pass('warm-up', 500);
  const startedAt = performance.now();
  await pass('measured', jobs);
  const perJobMs = (performance.now() - startedAt) / jobs;
  await executor.close();
  print(`jobs of one task, one after the other: ${perJobMs.toFixed(3)} ms each`);
}

class Inbox {
  #onOutcomes: (count: number) => void = () => {};

  readonly listener = (event: ExecutorEvent): void => {
    if (event.type === 'returned') throw new Error('the child ended by itself');
    if (event.type !== 'finished') return;
    const failed = event.outcomes.find((outcome) => outcome.type !== 'result');
    if (failed !== undefined) throw new Error(JSON.stringify(failed));
    this.#onOutcomes(event.outcomes.length);
  };

  pass(
    executor: NodeExecutor,
    program: ExecutorProgram,
    count: number,
    batch: number,
  ): Promise<void> {
    return new Promise((resolve) => {
      let given = 0;
      let done = 0;
      const give = () => {
        while (given < count && given - done < 2 * batch) {
          executor.run(0, program, taskBatch(given, Math.min(batch, count - given)));
          given += batch;
        }
      };
      this.#onOutcomes = (outcomes) => {
        done += outcomes;
        if (done >= count) resolve();
        else give();
      };
      give();
    });
  }
}

function taskBatch(first: number, count: number): ExecutorTask[] {
  return Array.from({ length: count }, (_, i) => {
    const index = first + i;
    const taskId = `0190a3c4-7d1e-7000-8000-000000000000-${index}`;
    const inputJson = `{"seed":${index},"name":"block"}`;
    const nothing = {
      owner: 'bench',
      attempt: 1,
      stateJson: null,
      progress: 0,
      timeoutMs: 3_600_000,
    };
    return { key: `${taskId}#1`, taskId, index, inputJson, ...nothing };
  });
}

/** Arithmetic and typed arrays: what a task costs beside the same function outside. */
const numeric = `(n) => {
  const a = new Float64Array(1000);
  for (let i = 0; i < n; i++) {
    const at = i % a.length;
    a[at] = Math.sqrt((a[at] ?? 0) + Math.abs(Math.sin(i)) + Math.floor(i / 3));
  }
  return Array.from(a).reduce((sum, x) => sum + x, 0);
}`;

async function compareNumeric(print: Print): Promise<void> {
  const rounds = 5_000_000;
  // oxlint-disable-next-line typescript/no-implied-eval -- the same text, outside of the sandbox
  const outside = new Function(`return ${numeric}`)() as (n: number) => number;
  outside(rounds);
  const startedAt = performance.now();
  outside(rounds);
  const outsideMs = performance.now() - startedAt;
  const inside: number[] = [];
  const executor = createNodeExecutor({
    slots: 1,
    isolation: 'off',
    listener: (event) => {
      if (event.type === 'returned') throw new Error('the child ended by itself');
      if (event.type !== 'finished') return;
      for (const outcome of event.outcomes) {
        if (outcome.type !== 'result') throw new Error(JSON.stringify(outcome));
        inside.push(outcome.runMs);
      }
      if (inside.length === 2) finish();
    },
  });
  let finish = () => {};
  const [task] = taskBatch(0, 1);
  const program = {
    jobId: 'numeric',
    kind: 'javascript',
    source: `export default ${numeric}`,
    checkpointIntervalMs: null,
  } as const;
  await new Promise<void>((resolve) => {
    finish = resolve;
    const inputJson = String(rounds);
    executor.run(0, program, [
      { ...task!, inputJson },
      { ...task!, key: 'second', inputJson },
    ]);
  });
  await executor.close();
  print(`numeric loop: ${inside[1]?.toFixed(0)} ms inside, ${outsideMs.toFixed(0)} ms outside`);
}

type Print = (line: string) => void;

export async function benchExecutor(print: Print): Promise<void> {
  for (const name of Object.keys(programs)) {
    for (const batch of [1, 10, 100]) {
      const { tasks, seconds, ...line } = await measure(
        name,
        batch === 1 ? 50_000 : 300_000,
        batch,
      );
      print(`${line.name}: ${Math.round(tasks / seconds).toLocaleString('en')} tasks/s`);
    }
  }
  await measureJobs(print, 3_000);
  await compareNumeric(print);
  await benchCheckpoints(print);
}

if (import.meta.main) await benchExecutor(console.log);
