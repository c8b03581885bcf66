// Texts of workers and rankings that are kept from answer to answer say, to the last character, what would be said
// without them, whatever has happened in between.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ScriptedWorker } from '../../../test/support/scripted-worker.ts';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { AlgorithmId } from '../../core/snapshot.ts';
import type { CoordinatorPorts } from '../port/coordinator.ts';
import type { Principal } from '../port/principal.ts';
import { WorkerTexts } from '../workers/worker-texts.ts';

const ann: Principal = { tokenId: 'tok-ann', role: 'client', owner: 'ann', seesAll: false };
/** Small, so that an answer has several pieces. */
const pieceChars = 700;
const names = ['a', 'b', 'c', 'd'] as const;

interface Stage {
  readonly cluster: VirtualCluster;
  readonly workers: Map<string, ScriptedWorker>;
  jobs: number;
}

/** What may happen between two answers; the numbers choose. */
const steps: readonly ((stage: Stage, some: number) => Promise<unknown> | undefined)[] = [
  joinOne,
  ({ cluster }, some) => cluster.advance(1 + (some % 20_000)),
  (stage, some) =>
    submitOne(stage, some % 2 === 0 ? {} : { owner: 'ann', requirements: { minRamMb: some } }),
  (stage, some) => submitOne(stage, { requirements: { labels: { pool: names[some % 2]! } } }),
  ({ cluster, workers }, some) => {
    const worker = pick(workers, some);
    worker?.say({
      type: 'heartbeat',
      heartbeat_id: some,
      telemetry: { cpu_load_percent: some % 101, ram_available_mb: some },
      assign_sequence: 0,
      running: [],
      ...(some % 3 === 0 ? { rest: { because: 'charging' } } : {}),
    });
    return cluster.settle();
  },
  ({ cluster, workers }, some) => {
    const worker = pick(workers, some);
    const held = [...(worker?.given.keys() ?? [])].at(-1);
    if (held === undefined) return undefined;
    if (some % 3 === 0) worker!.fail(held);
    else if (some % 3 === 1) worker!.release(held);
    else worker!.complete(held);
    return cluster.settle();
  },
  ({ cluster, workers }, some) => {
    pick(workers, some)?.drop();
    return cluster.settle();
  },
  ({ cluster, workers }, some) => {
    const id = pick(workers, some)?.id;
    if (id === undefined) return undefined;
    const commands = cluster.coordinator.workers;
    if (some % 4 === 0) return cluster.answer(commands.drain(id, some % 8 === 0 ? 5_000 : null));
    if (some % 4 === 1) return cluster.answer(commands.resume(id));
    if (some % 4 === 2) return cluster.answer(commands.rename(id, `name "${some}" ü`));
    return cluster.answer(commands.deregister(id));
  },
  ({ cluster }, some) => {
    const algorithms: readonly AlgorithmId[] = [
      'fifo',
      'edas',
      'performance',
      'wrr',
      'mabac',
      'aras',
    ];
    const algorithm = algorithms[some % algorithms.length]!;
    return cluster.answer(cluster.coordinator.scheduler.configure({ algorithm }));
  },
  ({ cluster }, some) =>
    some % 10 === 0 ? cluster.answer(cluster.coordinator.clear()) : undefined,
];

async function joinOne({ cluster, workers }: Stage, some: number): Promise<void> {
  const name = `${names[some % names.length]!}${workers.size}`;
  const labels = { pool: names[some % 2]!, note: '"score":null' };
  const device = { slots: 1 + (some % 3), labels, ...(some % 5 === 0 ? { kinds: ['none'] } : {}) };
  workers.set(name, await cluster.join(name, device));
}

function submitOne(stage: Stage, more: object): Promise<unknown> {
  return stage.cluster.submit(`job-${stage.jobs++}`, [1, 2, 3], more);
}

function pick(workers: ReadonlyMap<string, ScriptedWorker>, some: number) {
  return [...workers.values()][some % Math.max(1, workers.size)];
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join('');
}

async function textOfBytes(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(pieces)).toString();
}

/** Workers and ranking as they are told, of kept texts and without them. */
async function answersOf(cluster: VirtualCluster, { reads, scheduler }: CoordinatorPorts) {
  const anew = [
    JSON.stringify(await cluster.answer(reads.workers())),
    JSON.stringify(await cluster.answer(scheduler.info())),
  ];
  const kept = [
    await cluster.answer(textOf(reads.workerTexts({ pieceChars }))),
    await cluster.answer(textOfBytes(scheduler.infoPieces(pieceChars))),
  ];
  return { kept, anew };
}

describe('kept texts', () => {
  test('say what would be said without them, for who sees all and for an owner', async () => {
    const happening = fc.tuple(fc.nat(steps.length - 1), fc.nat(20_000));
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 25 }), async (happenings) => {
        const cluster = await VirtualCluster.start({ algorithm: 'edas' });
        const stage: Stage = { cluster, workers: new Map(), jobs: 0 };
        await joinOne(stage, 1);
        for (const [step, some] of happenings) {
          await steps[step]!(stage, some);
          for (const ports of [cluster.coordinator, cluster.coordinator.for(ann)]) {
            const { kept, anew } = await answersOf(cluster, ports);
            expect(kept).toEqual(anew);
          }
        }
      }),
      { numRuns: 40, seed: 17 },
    );
  });

  test.each(['fifo', 'round_robin', 'least_loaded', 'wrr', 'edas'] as const)(
    'of a ranking agree under %s with the decision as it is explained from scratch',
    async (algorithm) => {
      const cluster = await VirtualCluster.start({ algorithm });
      for (const name of names) await cluster.join(name, { slots: 2 });
      const { scheduler, reads, taskReads } = cluster.coordinator;
      for (let job = 0; job < 5; job++) {
        await cluster.submit(`job-${job}`, [1]);
        const told = JSON.parse(
          await cluster.answer(textOfBytes(scheduler.infoPieces(pieceChars))),
        );
        const explained = await cluster.answer(taskReads.explainTask(`job-${job}`, 0));
        expect(told.last_decision.job_id).toBe(`job-${job}`);
        expect(explained).toMatchObject({ decision: { workers: told.workers } });
        const listed = JSON.parse(await cluster.answer(textOf(reads.workerTexts({ pieceChars }))));
        for (const { worker_id: id, score } of told.workers) {
          expect(listed.find((worker: { id: string }) => worker.id === id).score).toBe(score);
        }
      }
    },
  );

  test('of workers that have not changed are not made again', async () => {
    const cluster = await VirtualCluster.start();
    for (const name of names) await cluster.join(name, { slots: 2 });
    const { state } = cluster.coordinator;
    const texts = new WorkerTexts('all');
    const told = (score: number) =>
      [...state.workers.values()].map((worker) => texts.textOf(worker, 15_000, score));
    const first = told(0.5);
    expect(texts.made).toBe(4);
    expect(told(0.5)).toEqual(first);
    // The score is no part of what is kept.
    expect(told(0.25).map((text) => (JSON.parse(text) as { score: number }).score)).toEqual([
      0.25, 0.25, 0.25, 0.25,
    ]);
    expect(texts.made).toBe(4);
    await cluster.submit('job', [1]);
    expect(told(0.5).slice(1)).toEqual(first.slice(1));
    expect(texts.made).toBe(5);
  });
});
