// Two owners on one worker: their code never runs in one process. Jobs of one owner share a process,
// and none of them is blamed for what another left there. Real children, and a real worker process.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Assignment } from '../../src/protocol/messages.ts';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { MusterProcess } from '../support/muster-process.ts';
import { descendantsOf } from '../support/process-tree.ts';
import { ScriptedCoordinator, welcome } from '../support/scripted-coordinator.ts';
import { programOf, valueOf } from '../support/task-harness.ts';

function openHarness(memoryLimitMb = 256): ExecutorHarness {
  const harness = new ExecutorHarness({ isolation: 'off', memoryLimitMb });
  onTestFinished(() => harness.executor.close());
  return harness;
}

describe('a child', () => {
  test('never serves two owners: a thousand attempts of ten owners taking turns', async () => {
    const harness = openHarness();
    const source = 'export default (n) => n + 1';
    const keys: string[] = [];
    for (let i = 0; i < 50; i++) {
      const owner = `owner-${i % 10}`;
      const program = { ...programOf(source), jobId: `job-${owner}` };
      const inputs = Array.from({ length: 20 }, (_, n) => 20 * i + n);
      keys.push(...harness.give(program, inputs, { owner }));
    }
    const values = (await harness.ends(keys)).map(valueOf);
    expect(values).toEqual(keys.map((_, n) => n + 1));
    expect(harness.childrenOf.size).toBe(10);
    const pids = [...harness.childrenOf.values()].flatMap((each) => [...each]);
    // Each of the fifty turns had a child of its own, and no child served two owners.
    expect(pids).toHaveLength(50);
    expect(new Set(pids).size).toBe(50);
  });

  test('is kept as long as attempts of its owner come', async () => {
    const harness = openHarness();
    for (let i = 0; i < 5; i++) await harness.run(`export default () => ${i}`, 1, { owner: 'a' });
    expect(harness.childrenOf.get('a')?.size).toBe(1);
  });

  test('ends what it holds before another owner gets the slot', async () => {
    const harness = openHarness();
    const slow = programOf('export default () => new Promise((go) => setTimeout(go, 100, 1))');
    const keys = [
      ...harness.give(slow, [1], { owner: 'a' }),
      ...harness.give(programOf('export default () => 2'), [1], { owner: 'b' }),
    ];
    expect((await harness.ends(keys)).map(valueOf)).toEqual([1, 2]);
    const finished = harness.events.flatMap((event) =>
      event.type === 'finished' ? event.outcomes.map(({ key }) => key) : [],
    );
    expect(finished).toEqual(keys);
  });
});

describe('a job is not blamed for another of its owner', () => {
  const keeps = programOf(`const kept = [];
    export default (mb) => { kept.push(new Uint8Array(mb * 1e6).fill(1)); return kept.length }`);
  const uses = programOf(`export default async (mb) => {
    const own = new Uint8Array(mb * 1e6).fill(1);
    await new Promise((go) => setTimeout(go, 300));
    return own.length / 1e6 }`);

  test('when both together pass the memory limit: it runs again by itself', async () => {
    const harness = openHarness(300);
    // In one turn: the child holds both before it can be seen to have grown.
    const keys = [...harness.give(keeps, [180]), ...harness.give(uses, [180])];
    expect((await harness.ends(keys)).map(valueOf)).toEqual([1, 180]);
    expect(harness.childrenOf.get('somebody')?.size).toBe(2);
  });

  test('but it is when it passes the limit by itself, once and for all', async () => {
    const harness = openHarness(200);
    const keys = [...harness.give(keeps, [1]), ...harness.give(uses, [400])];
    const [, end] = await harness.ends(keys);
    expect(end).toMatchObject({ errorType: 'out_of_memory', retryable: true });
    // The attempts after it run in a sound child.
    expect(valueOf(await harness.run(uses, 1))).toBe(1);
  });

  test('when the child ends by itself: it goes on from its newest checkpoint', async () => {
    const source = `export default function* (input, task) {
      const s = task.state ?? { i: 0, sum: 0 };
      for (; s.i < input; ) {
        s.sum += Math.random();
        s.i++;
        if (s.i % 1000 === 0) yield { state: s, progress: s.i / input };
      }
      return [s.sum, task.resumed, task.attempt] }`;
    const about = { taskId: 'job-again' };
    const rounds = 4_000_000;
    const harness = openHarness();
    const [sum] = valueOf(await harness.run(source, rounds, about)) as number[];
    const [key] = harness.give(programOf(source, 2), [rounds], { ...about, key: 'again#1' });
    const checkpoints = () => harness.events.filter(({ type }) => type === 'checkpoint');
    await harness.until(() => checkpoints().length >= 3);
    process.kill(harness.executor.childPids()[0]!, 'SIGSEGV');
    const [end] = await harness.ends([key!]);
    expect(valueOf(end!)).toEqual([sum, true, 1]);
    const told = checkpoints().map((event) => event.type === 'checkpoint' && event.sequence);
    expect(told).toEqual(told.map((_, i) => i + 1));
    expect(harness.events.filter(({ type }) => type === 'returned')).toEqual([]);
    const starts = harness.events.filter((event) => event.type === 'started' && event.key === key);
    expect(starts).toHaveLength(1);
  });

  test('but it is when its own child ends again', async () => {
    const harness = openHarness();
    await harness.run('export default () => 1');
    const endless = programOf('export default function* () { for (;;) yield }');
    const [key] = harness.give(endless, [1]);
    // Not that of the task before, which may tell of its start too.
    await harness.until(() =>
      harness.events.some((event) => event.type === 'started' && event.key === key),
    );
    const [shared] = harness.executor.childPids();
    process.kill(shared!, 'SIGSEGV');
    const own = await untilRunning(() => harness.executor.childPids().filter((p) => p !== shared));
    process.kill(own, 'SIGSEGV');
    expect(await harness.ends([key!])).toMatchObject([{ errorType: 'sandbox_crashed' }]);
  });
});

describe('a worker', () => {
  test('that is given attempts of two owners runs them in processes of their own', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-owners-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const coordinator = await ScriptedCoordinator.start();
    const state = ['--state-dir', join(folder, 'state'), '--slots', '1'];
    const worker = new MusterProcess(['worker', coordinator.url, ...state], { folder });
    await coordinator.hear('hello', 60_000);
    coordinator.say(welcome({ worker_token: 'secret' }));

    const seen = new Map<string, Set<number>>();
    for (let i = 0; i < 8; i++) {
      const owner = i % 2 === 0 ? 'one' : 'other';
      coordinator.say(assignmentOf(i, owner));
      await coordinator.hear('started', 60_000);
      const pid = await untilOneRuns(() => descendantsOf(worker.pid).map((each) => each.pid));
      seen.set(owner, (seen.get(owner) ?? new Set()).add(pid));
      const { task_id, attempt } = attemptOf(i);
      const order = { task_id, attempt, reason: 'cancelled' };
      coordinator.say({ type: 'cancel', attempts: [order] });
    }
    const [one, other] = [[...seen.get('one')!], [...seen.get('other')!]];
    expect(one.length).toBeGreaterThan(0);
    expect(other.length).toBeGreaterThan(0);
    expect(one.filter((pid) => other.includes(pid))).toEqual([]);
  });
});

function attemptOf(index: number): Pick<Assignment, 'task_id' | 'attempt' | 'token'> {
  return { task_id: `job-${index}`, attempt: 1, token: 't' };
}

/** A program that runs until it is stopped. */
function assignmentOf(index: number, owner: string) {
  const source = 'export default function* () { for (;;) yield }';
  const job_id = `job-of-${owner}`;
  const program = { kind: 'javascript', source } as const;
  const rest = { attempt_timeout_seconds: null, checkpoint_interval_seconds: null };
  return {
    type: 'assign',
    sequence: index + 1,
    programs: { [job_id]: { program, ...rest } },
    assignments: [{ ...attemptOf(index), job_id, owner, index, input: null }],
  } as const;
}

/**
 * The sandbox child among the processes that has begun an attempt: what it writes to its position
 * descriptor is the number of the newest.
 */
async function untilRunning(pids: () => readonly number[]): Promise<number> {
  for (;;) {
    const found = pids().find((pid) => positionOf(pid) > 0);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The process of the attempt before may take a moment to end. */
async function untilOneRuns(pids: () => readonly number[]): Promise<number> {
  for (;;) {
    const [first, ...others] = pids().filter((pid) => positionOf(pid) > 0);
    if (first !== undefined && others.length === 0) return first;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function positionOf(pid: number): number {
  try {
    const bytes = readFileSync(`/proc/${pid}/fd/4`);
    return bytes.length < 4 ? 0 : bytes.readInt32LE(0);
  } catch {
    return 0;
  }
}
