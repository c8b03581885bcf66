import { expect, test } from 'vitest';
import { ChildPrograms } from './child-programs.ts';

const three = { programs: 3, characters: 100, bytes: 1000 };

/** Learns a program, runs one attempt of it, and returns the jobs that had to be forgotten before. */
function use(programs: ChildPrograms, jobId: string, characters = 1): readonly string[] {
  const isKnown = programs.has(jobId);
  const forgotten = isKnown ? [] : programs.learn(jobId, characters, null).forgotten;
  programs.hold(jobId);
  programs.letGo(jobId);
  return forgotten;
}

test('keeps so many programs, and forgets the longest unused', () => {
  const programs = new ChildPrograms(three);
  for (const job of ['a', 'b', 'c', 'a']) expect(use(programs, job)).toEqual([]);
  expect(use(programs, 'd')).toEqual(['b']);
  expect(['a', 'b', 'c', 'd'].filter((job) => programs.has(job))).toEqual(['a', 'c', 'd']);
});

test('keeps so many characters, and one that is larger alone', () => {
  const programs = new ChildPrograms(three);
  use(programs, 'a', 60);
  use(programs, 'b', 30);
  expect(use(programs, 'c', 40)).toEqual(['a']);
  expect(use(programs, 'd', 1000)).toEqual(['b', 'c']);
  expect(use(programs, 'e', 1)).toEqual(['d']);
});

test('keeps blobs of so many bytes, and has no room for more beside those that are in use', () => {
  const programs = new ChildPrograms(three);
  programs.learn('a', 1, null, 600);
  programs.hold('a');
  expect([programs.hasRoomFor('a', 600), programs.hasRoomFor('b', 400)]).toEqual([true, true]);
  expect(programs.hasRoomFor('c', 401)).toBe(false);
  expect(programs.learn('b', 1, null, 400).forgotten).toEqual([]);
  programs.letGo('a');
  expect(programs.hasRoomFor('c', 401)).toBe(true);
  expect(programs.learn('c', 1, null, 401).forgotten).toEqual(['a']);
  // One that is larger than all of it is there alone.
  expect(programs.hasRoomFor('d', 5000)).toBe(true);
  expect(programs.learn('d', 1, null, 5000).forgotten).toEqual(['b', 'c']);
});

test('stays within its bounds over a hundred thousand jobs', () => {
  const programs = new ChildPrograms();
  let known = 0;
  for (let i = 0; i < 100_000; i++) known += 1 - use(programs, `job-${i}`, 100).length;
  expect(known).toBe(64);
});

test('forgets no program of which the child holds an attempt', () => {
  const programs = new ChildPrograms(three);
  for (const job of ['a', 'b', 'c']) programs.learn(job, 1, null);
  for (const job of ['a', 'b']) programs.hold(job);
  expect(programs.learn('d', 1, null).forgotten).toEqual(['c']);
  programs.hold('d');
  expect(programs.learn('e', 1, null).forgotten).toEqual([]);
});

test('an unwanted program goes with the last attempt of it, and stays when one comes anew', () => {
  const programs = new ChildPrograms(three);
  programs.learn('a', 1, null);
  programs.hold('a');
  programs.hold('a');
  expect(programs.forget('a')).toBe(false);
  expect(programs.letGo('a')).toBe(false);
  expect(programs.letGo('a')).toBe(true);
  expect(programs.has('a')).toBe(false);
  expect(programs.forget('a')).toBe(false);
  programs.learn('a', 1, null);
  expect(programs.forget('a')).toBe(true);

  programs.learn('b', 1, null);
  programs.hold('b');
  programs.forget('b');
  programs.hold('b');
  expect([programs.letGo('b'), programs.letGo('b')]).toEqual([false, false]);
});

test('are shared from the first attempt of a second job on', () => {
  const programs = new ChildPrograms(three);
  use(programs, 'a');
  programs.learn('b', 1, null);
  expect(programs.areShared).toBe(false);
  programs.hold('b');
  expect(programs.areShared).toBe(true);
});

test('the child has a text for as long as it knows a job that has it', () => {
  const programs = new ChildPrograms(three);
  const hasText = (jobId: string, sha256: string | null) => {
    const learned = programs.learn(jobId, 1, sha256);
    programs.hold(jobId);
    programs.letGo(jobId);
    return learned.hasText;
  };
  expect([hasText('a', 'x'), hasText('b', 'x'), hasText('c', 'y')]).toEqual([false, true, false]);
  programs.forget('a');
  expect(hasText('d', 'x')).toBe(true);
  // The child forgets both jobs with the text to make room for these.
  for (const job of ['e', 'f', 'g']) expect(hasText(job, null)).toBe(false);
  expect([hasText('h', 'x'), hasText('i', 'y')]).toEqual([false, false]);
});
