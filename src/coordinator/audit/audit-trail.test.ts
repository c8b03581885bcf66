// With which commit entries are written, whose will they tell of, and which are trimmed.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import { type Asker, askedBy } from '../port/asking.ts';
import { createCoordinator } from '../coordinator.ts';
import { byItself } from '../port/audit.ts';
import { createRealRuntime } from '../real-runtime.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

let cluster: VirtualCluster;
beforeEach(async () => {
  cluster = await VirtualCluster.start();
});

const ann = { tokenId: '4k2m9x0b', role: 'client', owner: 'ann', address: '192.0.2.1' };
const one = { type: 'list', inputs: ['1'] } as const;
const refusal = {
  ...byItself,
  ...ann,
  outcome: 'refused',
  code: 'forbidden',
  object: null,
} as const;

function asker(action: Asker['action'], object?: string | null): Asker {
  return { action, object, ...ann, isWritten: false, isOver: false };
}

const written = () => cluster.gate.commits.flatMap(({ audit }) => audit);
const seen = () => written().map(({ action, object }) => [action, object]);

test('a change is in the same commit as who has asked for it, with the id of what it has made', async () => {
  const { coordinator, gate } = cluster;
  cluster.runtime.names.push('j');
  const submitter = asker('job.submit');
  const asked = askedBy(submitter, () => coordinator.submissions.submit(submission(), one));
  await cluster.answer(asked);
  const commit = gate.commits.find(({ audit }) => audit.length > 0);
  expect(commit!.jobs.map(({ spec }) => spec.id)).toEqual(['j']);
  const told = { action: 'job.submit', object: 'j', outcome: 'done', code: null, count: 1, ...ann };
  expect(commit!.audit).toEqual([{ at: expect.any(Number), ...told }]);
  expect(submitter.isWritten).toBe(true);
});

test('what changes nothing is not written as if it had', async () => {
  const held = asker('job.hold', 'none');
  await cluster.answer(askedBy(held, () => cluster.coordinator.jobs.hold('none')));
  expect([held.isWritten, written()]).toEqual([false, []]);
});

test('a change is told of who asked for it, not of those whose requests it meets', async () => {
  const { coordinator } = cluster;
  await cluster.submit('j');
  // This one is refused, in the batch that it begins, and still waits to be answered.
  const rejected = askedBy(asker('job.hold', 'none'), () => coordinator.jobs.hold('none'));
  const followed = rejected.then(() => undefined);
  const cancelled = coordinator.jobs.cancel('j');
  const own = askedBy(asker('job.delete', 'j'), () => coordinator.jobs.delete('j'));
  await cluster.answer(Promise.all([followed, cancelled, own]));
  expect(seen()).toEqual([['job.delete', 'j']]);
});

test('what the loop does of itself is by nobody, whoever has woken it', async () => {
  // In real turns of the event loop: those of virtual time forget who has asked for them.
  await cluster.answer(cluster.coordinator.stop());
  const { store } = cluster.gate;
  const coordinator = await createCoordinator({ store, runtime: createRealRuntime() });
  const { loop } = coordinator as unknown as { loop: WriterLoop };
  const submitted = await coordinator.submissions.submit(submission(), one);
  const { id } = (submitted as { value: { id: string } }).value;
  // It sleeps, so that this very request wakes it.
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  const cancelled = new Promise((resolve) => {
    const cancel = () => resolve(coordinator.jobs.cancel(id));
    void askedBy(asker('job.hold', 'none'), () => loop.ask(() => cancel));
  });
  expect(await cancelled).toMatchObject({ ok: true });
  expect(await coordinator.audit.list({}, null, 10)).toEqual([]);
  await coordinator.stop();
});

test('what comes after the answer is not by the will of who was answered', async () => {
  const { coordinator } = cluster;
  await cluster.submit('j');
  const answered = { ...asker('job.hold', 'j'), isOver: true };
  await cluster.answer(askedBy(answered, () => coordinator.jobs.cancel('j')));
  expect(written()).toEqual([]);
});

test('what is told waits for a commit that is made anyhow, and a second for none', async () => {
  const { coordinator, gate } = cluster;
  const start = { ...byItself, action: 'coordinator.start', object: 'tokens' } as const;
  coordinator.audit.tell(start);
  await cluster.settle();
  expect(written()).toEqual([]);
  const before = gate.commits.length;
  await cluster.submit('j');
  expect(gate.commits).toHaveLength(before + 1);
  expect(seen()).toEqual([['coordinator.start', 'tokens']]);
  coordinator.audit.tell(start);
  await cluster.advance(1_000);
  expect(seen()).toHaveLength(2);
});

test('refusals of ten seconds are written together, and before that for whoever reads', async () => {
  const { coordinator, gate } = cluster;
  const before = gate.commits.length;
  for (let i = 0; i < 9; i++) {
    coordinator.audit.gather({ ...refusal, action: 'job.cancel' });
    await cluster.advance(1_000);
  }
  expect(written()).toEqual([]);
  await cluster.advance(2_000);
  expect(written().map(({ count }) => count)).toEqual([9]);
  expect(gate.commits).toHaveLength(before + 1);
  coordinator.audit.gather({ ...refusal, action: 'job.hold' });
  const [newest] = await cluster.answer(coordinator.audit.list({}, null, 10));
  expect(newest).toMatchObject({ action: 'job.hold', count: 1 });
});

test('what waits at the stop is in the last commit', async () => {
  cluster.coordinator.audit.gather({ ...refusal, action: 'job.cancel' });
  cluster.coordinator.audit.tell({ ...byItself, action: 'coordinator.stop', object: null });
  await cluster.answer(cluster.coordinator.stop());
  expect(new Set(seen().map(([action]) => action))).toEqual(
    new Set(['coordinator.stop', 'job.cancel']),
  );
});

test('what is older than is kept goes, and what is more: refusals apart', async () => {
  const keeping = { days: 2, entries: 8 };
  cluster = await VirtualCluster.start({ auditKeeping: keeping });
  const { coordinator, disk } = cluster;
  const tell = () => coordinator.audit.tell({ ...byItself, action: 'token.create', object: 'x' });
  tell();
  await cluster.advance(3 * 86_400_000);
  for (let i = 0; i < 12; i++) tell();
  for (let i = 0; i < 5; i++) coordinator.audit.tell({ ...refusal, action: 'job.hold' });
  await cluster.advance(2 * 3_600_000);
  const kept = (outcome: string) => disk.audit.filter((row) => row.outcome === outcome).length;
  expect([kept('done'), kept('refused')]).toEqual([8, 2]);
  expect(disk.audit[0]!.id).toBeGreaterThan(5);
});
