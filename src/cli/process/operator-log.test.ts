// What an operator is told, and that nobody can make it too much.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { ToldEvent } from '../../core/told-events.ts';
import { ConditionWatch } from './condition-watch.ts';
import { OperatorLog } from './operator-log.ts';

const megabyte = 1e6;

test('what happens to a worker is told with its name', () => {
  const { lines, log } = capture();
  const operator = new OperatorLog({ log });
  operator.hear([
    registered('desk'),
    moved('worker_connected'),
    moved('worker_lost'),
    moved('worker_connected'),
    { ...moved('worker_quarantined'), until: 0, pauseMs: 60_000 } as ToldEvent,
    { ...moved('worker_approved') },
    { ...moved('worker_deregistered'), because: 'refused' } as ToldEvent,
    { ...moved('worker_deregistered'), because: 'asked' } as ToldEvent,
  ]);
  expect(lines()).toEqual([
    'info Worker desk has joined: pc linux, 4 slots, version 0.1.0.',
    'warn Worker desk is lost: nothing was heard of it for too long.',
    'info Worker desk is back.',
    'warn Worker desk is quarantined for 1 min: it fails what succeeds elsewhere.',
    'info Worker desk was let in by a person.',
    'info Worker desk was not let in.',
    'info Worker desk is deregistered.',
  ]);
});

test('a drain tells what follows and when, and a dropped checkpoint whose it was', () => {
  const { lines, log } = capture();
  const drained = (deadline: number | null) =>
    ({ ...moved('worker_drained'), since: 0, deadline }) as ToldEvent;
  const task = { index: 3, job: { spec: { id: 'j' } } };
  const checkpoint = { task, attempt: 2, sequence: 5, workerId: 'w-1' };
  new OperatorLog({ log }).hear([
    drained(null),
    drained(1_800_000),
    { type: 'checkpoint_dropped', checkpoint, at: 0 } as ToldEvent,
  ]);
  expect(lines()).toEqual([
    'info Worker desk gets nothing new (drained), and may finish what it runs.',
    'info Worker desk gets nothing new (drained); in 30 min what it still runs goes to others.',
    'warn Checkpoint 5 of task j.3 (attempt 2, worker w-1) is dropped: its state cannot be read, is not JSON, or is not what its ' +
      'sha256 and size_bytes say. The task goes on from an older one, or begins anew.',
  ]);
});

test('workers that come and go without end write so many lines a minute, and are counted', () => {
  const { lines, log } = capture();
  let now = 0;
  const operator = new OperatorLog({ log, now: () => now, linesPerMinute: 2 });
  for (let i = 0; i < 100; i++) operator.hear([registered(`phone-${i}`)]);
  expect(lines()).toHaveLength(2);
  now = 60_000;
  operator.hear([registered('desk')]);
  expect(lines().slice(2)).toEqual([
    'warn 98 more lines were left out in a minute.',
    'info Worker desk has joined: pc linux, 4 slots, version 0.1.0.',
  ]);
});

test('a clock that jumps forward by more than a day is told, with what that means for jobs', () => {
  const { lines, log } = capture();
  const day = 86_400_000;
  const set = (byMs: number): ToldEvent => ({ type: 'clock_set', byMs, at: 0 });
  new OperatorLog({ log }).hear([set(day), set(-400 * day), set(400 * day)]);
  expect(lines()).toEqual([
    'warn The clock is 400 d ahead of what it was. For 1 d no job is removed for its age, ' +
      'in case that is wrong: set it right until then.',
  ]);
});

test('a worker that speaks on a second connection is told', () => {
  const { lines, log } = capture();
  new OperatorLog({ log }).heardTakeover('w-1');
  expect(lines()).toEqual([expect.stringContaining('info Worker w-1 said hello on a second')]);
});

test('a slow commit is told, and how many there were since', () => {
  const { lines, log } = capture();
  let now = 0;
  const operator = new OperatorLog({ log, now: () => now });
  operator.heardCommit(999_000);
  for (let i = 0; i < 5; i++) operator.heardCommit(2_000_000);
  now = 60_000;
  operator.heardCommit(3_000_000);
  expect(lines()).toEqual([
    'warn A commit took 2.0 s: the disk is slow, or busy with something else.',
    'warn A commit took 3.0 s (and 4 others since the last line): the disk is slow, or busy with something else.',
  ]);
});

test('a slow commit to a server is not blamed on a disk of this machine', () => {
  const { lines, log } = capture();
  new OperatorLog({ log, place: 'server' }).heardCommit(27_000_000);
  expect(lines()).toEqual([
    'warn A commit took 27 s: the server of the database was away, or it or its disk is slow.',
  ]);
});

test('overload is told when it begins and when it has ended', () => {
  const { lines, log } = capture();
  let isOverloaded = false;
  let now = 0;
  const watch = new ConditionWatch({
    log,
    isOverloaded: () => isOverloaded,
    freeBytes: undefined,
    floorBytes: megabyte,
    now: () => now,
  });
  watch.look();
  isOverloaded = true;
  watch.look();
  watch.look();
  now = 12_000;
  isOverloaded = false;
  watch.look();
  expect(lines()).toEqual([
    'warn There is too much to do: new work is refused with 503 until it has eased.',
    'warn New work is taken again; it was refused for 12 s.',
  ]);
});

test('a disk below the floor is told, again at half of it, and when there is room', () => {
  const { lines, log } = capture();
  let free = 2_000 * megabyte;
  const watch = new ConditionWatch({
    log,
    isOverloaded: () => false,
    freeBytes: () => free,
    floorBytes: 1_000 * megabyte,
  });
  const lookAtDisk = (megabytes: number) => {
    free = megabytes * megabyte;
    for (let i = 0; i < 30; i++) watch.look();
  };
  for (const megabytes of [2_000, 900, 800, 400, 1_050, 1_200]) lookAtDisk(megabytes);
  expect(lines()).toEqual([
    expect.stringMatching(/^warn Only 900 MB are free for the database/),
    expect.stringMatching(/^warn Only 400 MB are free/),
    'warn There is room for the database again: 1200 MB are free.',
  ]);
});

function capture() {
  const written: { level: number; msg: string }[] = [];
  const write = (line: string) => void written.push(JSON.parse(line) as never);
  const log = pino({ level: 'info' }, { write });
  const names = new Map([
    [30, 'info'],
    [40, 'warn'],
  ]);
  return { log, lines: () => written.map(({ level, msg }) => `${names.get(level)} ${msg}`) };
}

function registered(name: string): ToldEvent {
  const description = { name, type: 'pc', platform: 'linux', slots: 4, version: '0.1.0' };
  return {
    type: 'worker_registered',
    command: { workerId: 'w-1', description },
    at: 0,
  } as ToldEvent;
}

function moved(type: string): ToldEvent {
  return { type, worker: { id: 'w-1', name: 'desk', status: 'online' }, at: 0 } as ToldEvent;
}
