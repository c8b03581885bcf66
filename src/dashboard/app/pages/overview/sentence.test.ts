import { expect, test } from 'vitest';
import { rateInWords, sentenceOf, type SentenceFacts } from './sentence.ts';
import { countersOf, countsOf } from './testing/cluster-facts.ts';

const workers = (some: object) => ({
  online: 0,
  busy: 0,
  offline: 0,
  waiting: 0,
  draining: 0,
  quarantined: 0,
  ...some,
});
const jobs = (open: number, running: number) => ({
  open,
  running,
  pending: open - running,
  completed: 0,
  failed: 0,
  cancelled: 0,
});
const openJob = (seconds: number | null, job_id = String(seconds)) => ({
  job_id,
  counts: countsOf(),
  progress: 0,
  rate_per_second: null,
  eta: { seconds, low: null, high: null, method: '', reason: null },
});
const said = (some: Partial<SentenceFacts>): string =>
  sentenceOf({ counters: countersOf(), rate: null, needs: 0, atWork: null, out: 0, ...some })
    .map(({ text }) => text)
    .join('')
    .replaceAll('\u202f', ' ');

test('how fast, on how many, until when, and what needs somebody', () => {
  const counters = countersOf({
    workers: workers({ busy: 20, online: 2, offline: 2 }),
    jobs: jobs(3, 3),
    open_jobs: [openJob(600), openJob(7_800), openJob(60)],
  });
  expect(said({ counters, rate: 22.14, needs: 3 })).toBe(
    '22 tasks a second on 22 of 24 devices. Three jobs run; the last ends in about 2 h 10 min. Three things need you.',
  );
});

test('devices that stand idle are not told as working', () => {
  const counters = countersOf({ workers: workers({ busy: 8, online: 14 }) });
  expect(said({ counters, rate: 26, atWork: 8 })).toMatch(
    /^26 tasks a second on 8 of 22 devices\./,
  );
  const left = countersOf({ workers: workers({ busy: 8, online: 14, offline: 1 }) });
  expect(said({ counters: left, rate: 26, atWork: 8 })).toMatch(/on 8 of 22 devices\./);
});

test('of jobs of which not all can be told only those that can are spoken of', () => {
  const three = { jobs: jobs(3, 1), workers: workers({ busy: 2 }) };
  const one = countersOf({ ...three, open_jobs: [openJob(60), openJob(null, 'a'), openJob(null)] });
  expect(said({ counters: one, rate: 1 })).toBe(
    '1 task a second on 2 of 2 devices. One job runs, two wait; one ends in about 1 min.',
  );
  const two = countersOf({ ...three, open_jobs: [openJob(60), openJob(120), openJob(null)] });
  expect(said({ counters: two, rate: 1 })).toMatch(/; the last of two ends in about 2 min\.$/);
});

test('a job whose end cannot be told is told without one', () => {
  expect(said({ counters: countersOf({ open_jobs: [openJob(null)] }), rate: 3 })).toBe(
    '3 tasks a second on 1 of 1 device. One job runs.',
  );
});

test('before the first task has ended it says how many run', () => {
  expect(said({ rate: 0 })).toBe('2 tasks run; 1 of 1 device is here. One job runs.');
});

test('an idle cluster with work waiting is the loudest', () => {
  const counters = countersOf({ tasks: countsOf({ pending: 164_918 }), jobs: jobs(1, 0) });
  const phrases = sentenceOf({ counters, rate: 0, needs: 1, atWork: null, out: 0 });
  expect(phrases[0]).toEqual({
    text: 'Nothing runs, and 164\u202f918 tasks wait',
    weight: 'warn',
  });
});

test('without devices it says so, and what waits for them', () => {
  const none = countersOf({ workers: workers({}), tasks: countsOf(), jobs: jobs(0, 0) });
  expect(said({ counters: none })).toBe('No device has joined yet.');
  const gone = countersOf({ workers: workers({ offline: 4 }), tasks: countsOf({ pending: 1 }) });
  expect(said({ counters: gone })).toMatch(/^None of 4 devices is here, and 1 task waits\./);
});

test('with nothing to do it is calm', () => {
  const idle = countersOf({
    workers: workers({ online: 3 }),
    tasks: countsOf(),
    jobs: jobs(0, 0),
  });
  expect(said({ counters: idle, rate: 0 })).toBe('3 of 3 devices are here, with nothing to do.');
});

test('what is out of service is not here', () => {
  const idle = countersOf({
    workers: workers({ online: 3, draining: 1 }),
    tasks: countsOf(),
    jobs: jobs(0, 0),
  });
  expect(said({ counters: idle, rate: 0, out: 1 })).toMatch(/^3 of 4 devices are here/);
});

test.each([
  [1840, '1 840 tasks a second'],
  [22.14, '22 tasks a second'],
  [8.64, '8.6 tasks a second'],
  [1, '1 task a second'],
  [0.42, '0.42 tasks a second'],
  [0.07, '4.2 tasks a minute'],
  [0.0005, '1.8 tasks an hour'],
])('%d a second in words is %s', (rate, text) => {
  expect(rateInWords(rate).replaceAll('\u202f', ' ')).toBe(text);
});
