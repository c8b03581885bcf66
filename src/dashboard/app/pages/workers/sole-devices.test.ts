import { expect, test } from 'vitest';
import { countsOf, jobOf, workerOf } from '../overview/testing/cluster-facts.ts';
import { aloneSentence, jobsLeftAlone } from './sole-devices.ts';

const kestrel = workerOf({ id: 'k', name: 'kestrel', labels: { gpu: 'yes' } });
const atlas = workerOf({ id: 'a', name: 'atlas' });
const options = { requirements: { labels: { gpu: 'yes' } } };
const embed = jobOf({ name: 'embed', counts: countsOf({ pending: 282 }), options });
const plain = jobOf({ id: 'job-2', name: 'plain' });

test('a job that only the drained device may run is left alone', () => {
  const all = [kestrel, atlas];
  expect(jobsLeftAlone([kestrel], all, [embed, plain])).toEqual([embed]);
  expect(jobsLeftAlone([atlas], all, [embed, plain])).toEqual([]);
  expect(jobsLeftAlone(all, all, [embed, plain])).toEqual([embed, plain]);
});

test('one that is given nothing is no other device, and one that is here and may run it is', () => {
  const shut = { since: null, deadline: null };
  const rests = workerOf({ id: 'r', labels: kestrel.labels, rests_because: 'charging' });
  const out = workerOf({ id: 'o', labels: kestrel.labels, status: 'draining', draining: shut });
  expect(jobsLeftAlone([kestrel], [kestrel, rests, out], [embed])).toEqual([embed]);
  // It could not have gone on before either.
  expect(jobsLeftAlone([out], [rests, out], [embed])).toEqual([]);
  const second = workerOf({ id: 's', labels: kestrel.labels });
  expect(jobsLeftAlone([kestrel], [kestrel, second], [embed])).toEqual([]);
});

test('what has ended, or of which nothing waits, is left as it is', () => {
  const ended = jobOf({ ...embed, status: 'completed' });
  const running = jobOf({ ...embed, counts: countsOf({ running: 2 }) });
  expect(jobsLeftAlone([kestrel], [kestrel], [ended, running])).toEqual([]);
});

test('they are named, and what waits is counted', () => {
  expect(aloneSentence([embed])).toBe(
    'No other device may run embed now: 282 tasks wait until one that may is here.',
  );
  expect(aloneSentence([embed, plain, plain, plain, plain])).toMatch(
    /^No other device may run embed, plain, plain and 2 more now: 442 tasks wait/,
  );
});
