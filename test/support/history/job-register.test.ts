// Planted faults: what a broken cluster would have answered, beside what a sound one may answer.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JobStatus, TaskCounts } from '../../../src/protocol/resources.ts';
import { violations } from './check.ts';
import { someOrder } from './every-order.ts';
import type { Call } from './history.ts';
import { type JobOperation, jobRegister, type SeenResult } from './job-register.ts';
import { linearize } from './search.ts';
import { TrueJob } from './true-job.ts';

const tasks = 3;
const id = 'a';

const submit = (status: JobStatus = 'pending', of = id): JobOperation => ({
  type: 'submit',
  answer: { id: of, status },
});
const lostSubmit: JobOperation = { type: 'submit', answer: null };

function read(status: JobStatus, completed = 0, failed = 0, cancelled = 0): JobOperation {
  const open = tasks - completed - failed - cancelled;
  return {
    type: 'read',
    id,
    answer: { status, counts: counts(open, completed, failed, cancelled) },
  };
}

function counts(running: number, completed: number, failed: number, cancelled: number): TaskCounts {
  return { pending: 0, assigned: 0, running, completed, failed, cancelled };
}

const gone: JobOperation = { type: 'read', id, answer: 'not_found' };
const done = (index: number, value = `${index}`): SeenResult => ({
  index,
  status: 'completed',
  value,
});
const unfinished = (index: number, status: 'failed' | 'cancelled'): SeenResult => ({
  index,
  status,
  value: null,
});
const results = (...answer: SeenResult[]): JobOperation => ({
  type: 'results',
  id,
  answer,
  isPart: false,
});
const stream = (...answer: SeenResult[]): JobOperation => ({
  type: 'results',
  id,
  answer,
  isPart: true,
});
const cancel: JobOperation = { type: 'cancel', id, answer: 'cancelled' };
const lostCancel: JobOperation = { type: 'cancel', id, answer: null };
const retry: JobOperation = { type: 'retry', id, answer: 'running' };
const lostRetry: JobOperation = { type: 'retry', id, answer: null };
const remove: JobOperation = { type: 'delete', id, answer: 'deleted' };
const lostRemove: JobOperation = { type: 'delete', id, answer: null };
const refused = (type: 'cancel' | 'retry' | 'delete'): JobOperation =>
  type === 'cancel'
    ? { type, id, answer: 'job_is_final' }
    : type === 'retry'
      ? { type, id, answer: 'nothing_to_retry' }
      : { type, id, answer: 'job_not_final' };

/** One after the other; those without an answer have no outcome. */
function inTurn(...operations: readonly JobOperation[]): Call<JobOperation>[] {
  return operations.map((operation, i) => at(operation, 2 * i, 2 * i + 1));
}

function at(
  operation: JobOperation,
  called: number,
  returned: number,
  key = 'k',
): Call<JobOperation> {
  const end = operation.answer === null ? Number.POSITIVE_INFINITY : returned;
  return { key, operation, called, returned: end, calledMs: called, returnedMs: end };
}

const all = [done(0), done(1), done(2)];

test.each<[string, JobOperation[]]>([
  ['runs and completes', [submit(), read('running', 1), read('completed', 3), results(...all)]],
  ['comes back from running to pending, unbegun', [submit(), read('running'), read('pending')]],
  [
    'is submitted again under its key',
    [submit(), submit('running'), read('running', 2), submit('completed')],
  ],
  [
    'is cancelled, and nothing of it moves',
    [
      submit(),
      cancel,
      read('cancelled', 1, 0, 2),
      refused('cancel'),
      results(done(1), unfinished(0, 'cancelled'), unfinished(2, 'cancelled')),
    ],
  ],
  ['was cancelled too late', [submit(), refused('cancel'), read('completed', 3)]],
  [
    'fails, is retried, and completes',
    [
      submit(),
      read('failed', 2, 1),
      results(done(0), done(1), unfinished(2, 'failed')),
      retry,
      read('running', 2),
      results(...all),
    ],
  ],
  [
    'is retried while it runs',
    [submit(), read('running', 0, 1), retry, read('running', 1), refused('retry')],
  ],
  [
    'is cancelled with a failed task, and retried',
    [submit(), read('running', 0, 1), cancel, retry, read('completed', 3)],
  ],
  ['has nothing to retry', [submit(), refused('retry'), read('completed', 3), refused('retry')]],
  [
    'is removed, and its key makes another',
    [submit(), refused('delete'), read('completed', 3), remove, gone, submit('pending', 'b'), gone],
  ],
  ['was submitted by a call without an answer', [lostSubmit, read('running'), submit('running')]],
  ['was never submitted by a call without an answer', [lostSubmit, submit()]],
  [
    'was cancelled by a call without an answer, later',
    [submit(), lostCancel, read('running', 1), read('cancelled', 2, 0, 1)],
  ],
  ['was removed by a call without an answer', [submit(), lostRemove, read('completed', 3), gone]],
  [
    'was retried by a call without an answer',
    [submit(), read('failed', 2, 1), lostRetry, read('running', 2)],
  ],
  [
    'is followed by a stream that broke off',
    [submit(), stream(done(1)), stream(done(1), done(0)), read('running', 2)],
  ],
  [
    'is followed over a retry',
    [submit(), stream(unfinished(0, 'failed'), done(0)), read('running', 1)],
  ],
])('finds nothing wrong with a job that %s', (_, operations) => {
  expect(violations(inTurn(...operations), tasks)).toEqual([]);
});

test.each<[string, JobOperation[]]>([
  ['a submission that was acknowledged and is lost', [submit(), gone]],
  ['a submission that is lost after it was read', [submit(), read('running'), gone]],
  ['two jobs under one key', [submit(), submit('pending', 'b')]],
  [
    'two jobs under one key, of which one was only read',
    [lostSubmit, read('running'), submit('pending', 'b')],
  ],
  ['a result that is another one later', [submit(), results(done(0)), results(done(0, 'x'))]],
  ['a result that a stream told otherwise', [submit(), stream(done(0)), results(done(0, 'x'))]],
  ['a result that is not there any more', [submit(), results(done(0), done(1)), results(done(1))]],
  ['a result told twice in one answer', [submit(), results(done(0), done(0))]],
  ['a completed result that a stream tells again', [submit(), stream(done(0), done(0))]],
  ['a result of a task that does not exist', [submit(), results(done(3))]],
  [
    'a result that has become a failure',
    [submit(), results(done(0)), results(unfinished(0, 'failed'))],
  ],
  [
    'a count that is less than the results that were seen',
    [submit(), results(done(0), done(1)), read('running', 1)],
  ],
  ['results that are fewer than were counted', [submit(), read('running', 2), results(done(0))]],
  ['a count that goes back', [submit(), read('running', 2), read('running', 1)]],
  ['a failure that is taken back by nobody', [submit(), read('running', 0, 1), read('running', 1)]],
  ['a completed job that runs again', [submit(), read('completed', 3), read('running', 2)]],
  [
    'a completed job that is submitted under its key and runs',
    [submit('completed'), submit('running')],
  ],
  [
    'a failed job that runs again without a retry',
    [submit(), read('failed', 2, 1), read('running', 2)],
  ],
  [
    'a failed job that runs again after a retry that was refused',
    [submit(), refused('retry'), read('failed', 2, 1), refused('retry'), read('running', 2)],
  ],
  ['an old read after a cancel that was acknowledged', [submit(), cancel, read('running', 1)]],
  [
    'a job that goes on after its cancel',
    [submit(), cancel, read('cancelled', 1, 0, 2), read('cancelled', 2, 0, 1)],
  ],
  [
    'a result that was accepted after a cancel was seen',
    [
      submit(),
      cancel,
      read('cancelled', 0, 0, 3),
      results(done(0), unfinished(1, 'cancelled'), unfinished(2, 'cancelled')),
    ],
  ],
  ['a job that is cancelled by nobody', [submit(), read('cancelled', 0, 0, 3)]],
  [
    'a cancel refused as too late of a job that runs on',
    [submit(), refused('cancel'), read('running', 1)],
  ],
  ['two cancels that were both accepted', [submit(), cancel, cancel]],
  ['a retry of a job of which nothing has failed', [submit(), read('completed', 3), retry]],
  ['a removed job that is there', [submit(), read('completed', 3), remove, read('completed', 3)]],
  [
    'a removed job that its key brings back',
    [submit(), read('completed', 3), remove, submit('completed')],
  ],
  [
    'a removal that is refused of a job that has ended',
    [submit(), read('completed', 3), refused('delete')],
  ],
  ['a job that was never submitted', [read('running')]],
  [
    'counts that are not the tasks',
    [submit(), { type: 'read', id, answer: { status: 'running', counts: counts(1, 1, 0, 0) } }],
  ],
  ['a completed job that has open tasks', [submit(), read('completed', 2)]],
])('finds %s', (_, operations) => {
  expect(violations(inTurn(...operations), tasks)).toHaveLength(1);
});

test('an answer that began before the cancel had ended may be old, and one that began later may not', () => {
  const before = [at(submit(), 0, 1), at(cancel, 2, 6)];
  expect(violations([...before, at(read('running', 1), 5, 8)], tasks)).toEqual([]);
  expect(violations([...before, at(read('running', 1), 7, 8)], tasks)).toHaveLength(1);
});

test('finds an id that two keys were given', () => {
  const calls = [at(submit(), 0, 1, 'one'), at(submit(), 2, 3, 'two')];
  expect(violations(calls, tasks)).toEqual(['The keys "one" and "two" were both answered job a.']);
});

test('says what cannot follow, and after what', () => {
  const [text] = violations(inTurn(submit(), read('running', 2), gone), tasks);
  expect(text).toContain('The answers about the job of the key "k" fit no order of the calls.');
  expect(text).toContain('After 2 of 3');
  expect(text).toContain('4 to 5: {"type":"read","id":"a","answer":"not_found"}');
});

const choices = [
  submit(),
  lostSubmit,
  lostCancel,
  lostRetry,
  lostRemove,
  cancel,
  retry,
  remove,
  gone,
  refused('cancel'),
  refused('retry'),
  refused('delete'),
  read('running', 1),
  read('running', 1, 1),
  read('completed', 3),
  read('failed', 2, 1),
  read('cancelled', 1, 0, 2),
  results(done(0)),
  results(...all),
  stream(done(1)),
];

const drawnCalls = fc
  .array(fc.tuple(fc.constantFrom(...choices), fc.nat(20), fc.nat(20)), { maxLength: 6 })
  .map((drawn) =>
    drawn.map(([operation, from, lasts], i) =>
      at(operation, from * 10 + i, (from + lasts) * 10 + 9),
    ),
  );

test('judges as trying every order does', () => {
  const found = { right: 0, wrong: 0 };
  fc.assert(
    fc.property(drawnCalls, (calls) => {
      const { isConsistent } = linearize(jobRegister(tasks), calls);
      found[isConsistent ? 'right' : 'wrong']++;
      expect(isConsistent).toBe(someOrder(jobRegister(tasks), calls));
    }),
    { numRuns: 3_000, seed: 1 },
  );
  expect(Math.min(...Object.values(found))).toBeGreaterThan(100);
});

const asked = fc.tuple(
  fc.constantFrom(...(['submit', 'read', 'results', 'cancel', 'retry', 'delete'] as const)),
  fc.nat(9),
  fc.nat(40),
  fc.nat(40),
);

test('finds nothing wrong with a job that behaves, however long its answers were on their way', () => {
  const answers = new Set<string>();
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.double({ min: 0, max: 0.99, noNaN: true })),
      fc.array(asked, { maxLength: 25, size: 'max' }),
      (chances, wishes) => {
        const job = new TrueJob(tasks, () => chances.next().value);
        const calls = wishes.map(([type, lost, early, late], i) => {
          const operation = job.ask(type, lost === 0);
          answers.add(
            `${type} ${typeof operation.answer === 'string' ? operation.answer : typeof operation.answer}`,
          );
          return at(operation, i * 10 - early, i * 10 + 1 + late);
        });
        expect(violations(calls, tasks)).toEqual([]);
      },
    ),
    // The same cases each time, so that what must be among the answers is.
    { numRuns: 1_500, seed: 1 },
  );
  expect(answers).toContain('retry running');
  expect(answers).toContain('delete deleted');
  expect(answers).toContain('cancel job_is_final');
});
