// What checkpoints cost a task: run time at several intervals against none, with the executor, the
// packing and a server for blobs, but without a coordinator. And what an offer costs that is not
// due.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OffloadingExecutor } from '../src/worker/payloads/offloading-executor.ts';
import type { ExecutorEvent, ExecutorProgram } from '../src/worker/executor.ts';
import { BlobClient } from '../src/worker/payloads/blob-client.ts';
import { createNodeExecutor, type NodeExecutor } from '../src/worker/node/node-executor.ts';
import { createNodePayloadStore } from '../src/worker/node/node-payload-store.ts';

const intervalsSeconds = [0.05, 0.1, 0.5, 1, 5];
/** Never reached. */
const noneSeconds = 86_400;
const repeats = 2;
const wantedMs = 6_500;

/** A task that updates some numbers of its state in every round and offers the state after each. */
const busy = `export default function* (input, task) {
  const s = task.state ?? { round: 0, values: Array.from({ length: input.values }, (_, i) => Math.sin(i)) };
  for (; s.round < input.rounds; ) {
    let x = 0;
    for (let i = 0; i < 20000; i++) x += Math.sqrt(i + s.round);
    s.values[s.round % s.values.length] = x / 3e6 * Math.sin(s.round);
    s.round++;
    yield { state: s, progress: s.round / input.rounds };
  }
  return s.values.length;
}`;

interface Run {
  readonly runMs: number;
  /** CPU time of the child, and of the agent process, which packs. */
  readonly childCpuMs: number;
  readonly agentCpuMs: number;
  readonly checkpoints: number;
  readonly form: string;
}

/** One slot with all layers between it and the machine. */
class Bench {
  readonly #executor: OffloadingExecutor;
  #events: ExecutorEvent[] = [];
  #onEvent: () => void = () => {};
  #task = 0;

  private constructor(url: string) {
    let sandboxes: NodeExecutor | null = null;
    this.#executor = new OffloadingExecutor({
      payloads: createNodePayloadStore(
        new BlobClient(
          () => url,
          () => 'token',
        ),
        1024 * 1024,
        join(tmpdir(), 'muster-bench-blobs'),
      ),
      listener: (event) => {
        this.#events.push(event);
        this.#onEvent();
      },
      nowMs: () => performance.now(),
      createInner: (listener) =>
        (sandboxes = createNodeExecutor({ slots: 1, isolation: 'off', listener })),
      onPacked: (slot, key, packMs) => sandboxes?.notePacked(slot, key, packMs),
      onDropped: (key, why) => {
        throw new Error(`${key}: ${why}`);
      },
    });
  }

  static async start(): Promise<Bench> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(201).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    return new Bench(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async run(source: string, input: unknown, intervalSeconds: number | null): Promise<Run> {
    const checkpointIntervalMs = intervalSeconds === null ? null : intervalSeconds * 1000;
    const jobId = `${source.length}-${checkpointIntervalMs}`;
    const program: ExecutorProgram = { jobId, kind: 'javascript', source, checkpointIntervalMs };
    const taskId = `task-${++this.#task}`;
    const fresh = { owner: 'bench', attempt: 1, stateJson: null, progress: 0 };
    const rest = { ...fresh, index: 0, timeoutMs: null };
    this.#events = [];
    const before = process.cpuUsage();
    const ended = new Promise<void>((resolve) => {
      this.#onEvent = () => {
        if (this.#events.at(-1)?.type === 'finished') resolve();
      };
    });
    const inputJson = JSON.stringify(input);
    this.#executor.run(0, program, [{ key: taskId, taskId, inputJson, ...rest }]);
    await ended;
    const last = this.#events.at(-1);
    const outcome = last?.type === 'finished' ? last.outcomes[0] : undefined;
    if (outcome?.type !== 'result') throw new Error(JSON.stringify(outcome));
    const saved = this.#events.filter((event) => event.type === 'checkpoint');
    const form = saved.at(-1)?.state.encoding ?? 'none';
    const { user, system } = process.cpuUsage(before);
    const cpu = { childCpuMs: outcome.cpuSeconds * 1000, agentCpuMs: (user + system) / 1000 };
    return { runMs: outcome.runMs, ...cpu, checkpoints: saved.length, form };
  }

  async close(): Promise<void> {
    await this.#executor.close();
  }
}

export async function benchCheckpoints(print: (line: string) => void): Promise<void> {
  const bench = await Bench.start();
  for (const values of [500, 10_000]) await compareIntervals(bench, values, print);
  await measureOffers(bench, print);
  await bench.close();
}

/** Measures the intervals in turns, so that other load of the machine affects all of them alike. */
async function compareIntervals(
  bench: Bench,
  values: number,
  print: (line: string) => void,
): Promise<void> {
  const trial = 60_000;
  const { runMs: trialMs } = await bench.run(busy, { values, rounds: trial }, noneSeconds);
  const input = { values, rounds: Math.round((trial * wantedMs) / trialMs) };
  const seconds = [noneSeconds, ...intervalsSeconds];
  const runs = new Map<number, Run[]>(seconds.map((each) => [each, []]));
  for (let i = 0; i < repeats; i++) {
    for (const each of seconds) runs.get(each)!.push(await bench.run(busy, input, each));
  }
  const stateKb =
    JSON.stringify(Array.from({ length: values }, (_, i) => Math.sin(i))).length / 1e3;
  const none = best(runs.get(noneSeconds)!);
  const names =
    'interval s | run ms | overhead % | child CPU ms | overhead % | agent CPU ms | taken';
  print(`state of ${stateKb.toFixed(0)} KB, best of ${repeats}\n  ${names}`);
  for (const each of seconds) {
    const { runMs, childCpuMs, agentCpuMs } = best(runs.get(each)!);
    const { checkpoints, form } = runs.get(each)![0]!;
    const columns = [
      each === noneSeconds ? 'none' : each,
      runMs.toFixed(0),
      percentOver(runMs, none.runMs),
      childCpuMs.toFixed(0),
      percentOver(childCpuMs, none.childCpuMs),
      agentCpuMs.toFixed(0),
      `${checkpoints} ${form}`,
    ];
    print(`  ${columns.join(' | ')}`);
  }
}

function best(runs: readonly Run[]): Pick<Run, 'runMs' | 'childCpuMs' | 'agentCpuMs'> {
  return {
    runMs: Math.min(...runs.map(({ runMs }) => runMs)),
    childCpuMs: Math.min(...runs.map(({ childCpuMs }) => childCpuMs)),
    agentCpuMs: Math.min(...runs.map(({ agentCpuMs }) => agentCpuMs)),
  };
}

function percentOver(measured: number, base: number): string {
  return ((100 * (measured - base)) / base).toFixed(1);
}

async function measureOffers(bench: Bench, print: (line: string) => void): Promise<void> {
  const count = 2_000_000;
  const kinds = {
    'yield of nothing': '(input) { for (let i = 0; i < input; i++) yield; return input }',
    'yield of a state that is not due':
      '(input) { const s = { i: 0 }; for (; s.i < input; s.i++) yield { state: s, progress: 0.5 }; return 1 }',
  };
  for (const [name, body] of Object.entries(kinds)) {
    const runs: Run[] = [];
    for (let i = 0; i < repeats; i++) {
      runs.push(await bench.run(`export default function* ${body}`, count, noneSeconds));
    }
    print(`${name}: ${((best(runs).childCpuMs * 1e6) / count).toFixed(0)} ns of CPU`);
  }
  const source = `export default async (input, task) => {
    const s = { i: 0 };
    for (; s.i < input; s.i++) await task.checkpoint(s, { progress: 0.5 });
    return 1 }`;
  const { childCpuMs } = await bench.run(source, count, noneSeconds);
  const ns = ((childCpuMs * 1e6) / count).toFixed(0);
  print(`await of task.checkpoint that is not due: ${ns} ns of CPU`);
}

if (import.meta.main) await benchCheckpoints(console.log);
