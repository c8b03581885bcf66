import { expect, test } from 'vitest';
import type { TaskExplanation, TaskWaiting } from '../../../../protocol/explanations.ts';
import type { AttemptOfHistory as Attempt } from '../../../../protocol/evaluation.ts';
import type { JobHead, Worker } from '../../store/cluster.ts';
import { holdUps, type HoldUpSources } from './hold-ups.ts';

const none = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
const head = {
  id: 'job',
  status: 'running',
  held_since: null,
  counts: { ...none, pending: 5, running: 2 },
} as JobHead;
const worker = (name: string, more: Partial<Worker> = {}): Worker =>
  ({
    id: name,
    name,
    status: 'busy',
    slots: 4,
    active_tasks: 4,
    rests_because: null,
    draining: null,
    leaving: false,
    labels: {},
    telemetry: {},
    ...more,
  }) as Worker;
const waits = (waiting: Partial<TaskWaiting>): TaskExplanation =>
  ({
    waiting: { worker_count: 3, reasons: [], workers: [], ...waiting },
  }) as unknown as TaskExplanation;
const sources = (more: Partial<HoldUpSources>): HoldUpSources => ({
  head,
  workers: [],
  attempts: [],
  explanation: null,
  nameOfWorker: (id) => id,
  knownMs: 0,
  address: 'http://lab:8000',
  ...more,
});
const texts = (more: Partial<HoldUpSources>) =>
  Object.fromEntries(holdUps(sources(more)).map(({ id, text }) => [id, text]));

test('what has ended is held up by nothing', () => {
  expect(holdUps(sources({ head: { ...head, status: 'completed' } }))).toEqual([]);
});

test('a held job says how it goes on', () => {
  const held = { ...head, held_since: '2026-05-04T09:00:00.000Z' };
  expect(texts({ head: held })['held']).toMatch(
    /Release it to go on\. 2 tasks that had begun go on\.$/,
  );
});

test('slots are told by who has them', () => {
  const live = [1, 2, 3].map((index) => ({ index, ended_at: null, status: 'running' }) as Attempt);
  expect(texts({ workers: [worker('a'), worker('b')], attempts: live })['slots']).toBe(
    'All 8 slots are taken: 3 by this job and 5 by others.',
  );
});

test('slots that are free but not for it are told with the reasons', () => {
  const explanation = waits({
    code: 'workers_busy',
    reasons: [{ code: 'failed_here', text: 'failed it before', workers: 2 }],
  });
  const workers = [worker('a', { active_tasks: 1 })];
  expect(texts({ workers, explanation, attempts: null })['slots']).toBe(
    '3 of 4 slots are free (taken: 1 by this job). Not free for it: 2 failed it before.',
  );
});

test('free slots of devices that may not run it are told as what it requires', () => {
  const short = { code: 'requirement', text: 'lacks the label gpu=yes' } as const;
  const explanation = waits({
    code: 'workers_busy',
    worker_count: 22,
    reasons: [{ code: 'requirement', text: 'short of a requirement', workers: 21 }],
    workers: [
      { worker_id: 'k', name: 'kestrel', eligible: false, reasons: [] },
      { worker_id: 'a', name: 'atlas', eligible: false, reasons: [short] },
    ],
  });
  const options = { requirements: { labels: { gpu: 'yes' } } } as never;
  const told = texts({ head: { ...head, options }, workers: null, explanation });
  expect(Object.keys(told)).toEqual(['requirement']);
  expect(told['requirement']).toBe(
    'Only kestrel: 21 devices fall short of what it requires. It requires gpu=yes: start a worker with that (stop one that runs, and start it again so), or submit it again without.',
  );
});

test('labels that it requires are told whatever its next task waits for', () => {
  const options = { requirements: { labels: { site: 'lab' } } } as never;
  const workers = ['a', 'b', 'c', 'd'].map((name) => worker(name, { labels: { site: 'lab' } }));
  const elsewhere = worker('e', { active_tasks: 0, labels: {} });
  const away = worker('f', { status: 'offline', labels: {} });
  const all = [...workers, elsewhere, away];
  const told = texts({
    head: { ...head, options },
    workers: all,
    explanation: waits({ code: 'next' }),
  });
  expect(told['requirement']).toBe(
    'Only a, b, c and 1 more: 1 device falls short of what it requires. It requires site=lab: start a worker with that (stop one that runs, and start it again so), or submit it again without.',
  );
});

test.each([
  [{ gpu: 'yes' }, 'muster worker http://lab:8000 --label gpu=yes'],
  [
    { room: "Ada's", rack: '7' },
    String.raw`muster worker http://lab:8000 --label 'room=Ada'\''s' --label rack=7`,
  ],
  // The command line would take it for two.
  [{ room: 'a,b' }, undefined],
])('labels %j are given by a command', (labels, command) => {
  const options = { requirements: { labels } } as never;
  const found = holdUps(sources({ head: { ...head, options }, workers: [worker('a')] }));
  expect(found.find(({ id }) => id === 'requirement')?.command).toBe(command);
  const explanation = waits({ code: 'no_eligible_worker' });
  const alone = holdUps(sources({ head: { ...head, options }, explanation }));
  expect(alone.find(({ id }) => id === 'waiting')?.command).toBe(command);
});

test('what is asked for beside labels comes with another device', () => {
  const options = { requirements: { min_ram_mb: 4096 } } as never;
  const explanation = waits({ code: 'no_eligible_worker' });
  const told = texts({ head: { ...head, options }, explanation });
  expect(told['waiting']).toMatch(
    /It requires min ram mb 4096: connect a device that has it, or submit it again without\.$/,
  );
});

test('devices that could not run it in any case are not told as being out', () => {
  const workers = [
    worker('ana', { status: 'quarantined', active_tasks: 0 }),
    worker('jo', { status: 'draining', labels: { gpu: 'yes' }, active_tasks: 0 }),
  ];
  const options = { requirements: { labels: { gpu: 'yes' } } } as never;
  expect(texts({ head: { ...head, options }, workers })['devices']).toBe(
    'jo is out of service: 4 slots give nothing.',
  );
});

test('a job that nobody may run says how many lack what', () => {
  const explanation = waits({
    code: 'no_eligible_worker',
    reasons: [
      { code: 'requirement', text: 'lack the label gpu', workers: 2 },
      { code: 'offline', text: 'are offline', workers: 1 },
    ],
  });
  expect(texts({ explanation })['waiting']).toBe(
    'None of 3 devices could take it: 2 lack what it requires and 1 are offline.',
  );
  const all = waits({
    code: 'no_eligible_worker',
    reasons: [
      { code: 'requirement', text: 'lack the label gpu', workers: 3 },
      { code: 'draining', text: 'draining', workers: 1 },
    ],
  });
  expect(texts({ explanation: all })['waiting']).toBe(
    'None of 3 devices could take it: 3 lack what it requires.',
  );
});

test('a worker that lacks something and rests as well is counted once', () => {
  const short = { code: 'requirement', text: 'label gpu is not set' } as const;
  const rests = { code: 'resting', text: 'resting' } as const;
  const options = { requirements: { labels: { gpu: 'maybe' } } } as never;
  const explanation = waits({
    code: 'no_eligible_worker',
    worker_count: 2,
    reasons: [
      { ...short, workers: 2 },
      { ...rests, workers: 1 },
    ],
    workers: [
      { worker_id: 'a', name: 'a', eligible: false, reasons: [short, rests] },
      { worker_id: 'b', name: 'b', eligible: false, reasons: [short] },
    ],
  });
  const [found] = holdUps(sources({ head: { ...head, options }, explanation }));
  expect(found!.text).toMatch(/^None of 2 devices could take it: 2 lack what it requires\. /);
  expect(found!.link!.href).toBe('/workers?label=gpu%3Dmaybe');
});

const lab = { requirements: { labels: { site: 'lab' } } } as never;
const isIn = { labels: { site: 'lab' } };

test('one that rests may not run it now, and its slots are not free', () => {
  const workers = [
    worker('a', isIn),
    worker('b', isIn),
    worker('c', { ...isIn, status: 'online', active_tasks: 0, rests_because: 'charging' }),
    worker('d'),
  ];
  const found = holdUps(sources({ head: { ...head, options: lab }, workers }));
  expect(found.map(({ id, title, glyph }) => [id, title, glyph])).toEqual([
    ['requirement', 'Two devices may run it', 'pending'],
    ['slots', 'Slots', 'busy'],
    ['devices', 'One device out', 'draining'],
  ]);
  expect(found[0]!.text).toMatch(/^Only a and b: 1 device falls short of what it requires\./);
  expect(found[1]!.text).toMatch(/^All 12 slots are taken/);
});

test('that one device alone may run it is worth a look, that none may is a fault', () => {
  const glyph = (workers: readonly Worker[]) =>
    holdUps(sources({ head: { ...head, options: lab }, workers })).find(
      ({ id }) => id === 'requirement',
    )?.glyph;
  expect(glyph([worker('a', isIn), worker('d')])).toBe('attention');
  expect(glyph([worker('d')])).toBe('failed');
});

test('the first cure of a job whose devices are out of service is to give them work again', () => {
  const draining = { since: null, deadline: null };
  const kestrel = worker('kestrel', { ...isIn, status: 'draining', draining, active_tasks: 0 });
  const explanation = waits({ code: 'no_eligible_worker' });
  const asked = { head: { ...head, options: lab }, explanation };
  const [found, ...more] = holdUps(sources({ ...asked, workers: [kestrel, worker('d')] }));
  expect(found).toMatchObject({
    title: 'No device may run it now',
    link: { href: '/workers/kestrel' },
    command: 'muster worker http://lab:8000 --label site=lab',
  });
  expect(found!.text).toMatch(
    /^kestrel is out of service, and no other could take it\. Give kestrel work again\. It requires site=lab: /,
  );
  expect(more.map(({ id }) => id)).not.toContain('devices');
  const phone = worker('phone', { ...isIn, status: 'online', rests_because: 'charging' });
  expect(holdUps(sources({ ...asked, workers: [phone] }))[0]!.text).toMatch(
    /^phone rests: only while charging, and no other could take it\. It goes on by itself\./,
  );
});

test('devices that give nothing are named', () => {
  const workers = [
    worker('ana', { status: 'quarantined', active_tasks: 0 }),
    worker('jo', { status: 'online', rests_because: 'charging', active_tasks: 0 }),
    worker('ok', { active_tasks: 0 }),
  ];
  const out = holdUps(sources({ workers })).find(({ id }) => id === 'devices');
  expect(out).toMatchObject({
    title: 'Two devices out',
    text: 'ana is quarantined and jo rests: only while charging: 8 slots give nothing.',
  });
});

test('what is drained and has nothing left is out of service', () => {
  const draining = { since: null, deadline: null };
  const workers = [
    worker('ana', { status: 'draining', draining, active_tasks: 0 }),
    worker('jo', { status: 'draining', draining, active_tasks: 1 }),
  ];
  expect(texts({ workers })['devices']).toBe(
    'ana is out of service and jo is draining: 8 slots give nothing.',
  );
});

test('a job that waits behind others, or for a device, says so', () => {
  expect(texts({ explanation: waits({ code: 'queued_behind', tasks_ahead: 40 }) })['waiting']).toBe(
    '40 tasks are before its next one in the queue.',
  );
  expect(texts({ explanation: waits({ code: 'no_worker' }) })['waiting']).toMatch(
    /^No device is here/,
  );
});
