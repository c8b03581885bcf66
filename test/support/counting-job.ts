// The job of the checkpoint tests: a task that counts to `steps`, offers its state after every step,
// and says where it began. Its value depends on every step, and on nothing else.

import { expect } from 'vitest';
import type { CheckpointRecord, JobSubmission, RecoveryEvent } from '../../src/client/index.ts';
import { SeededRandom } from '../../src/worker/sandbox/seeded-random.ts';

export interface CountingInput {
  readonly steps: number;
  /** The first attempt stops counting at this step, but still offers its state. */
  readonly hold?: number;
  /** Rounds of an empty loop, for every step of a plain function or a generator. */
  readonly rounds?: number;
  /** Milliseconds to wait at every step of an async function. */
  readonly ms?: number;
  /** Whole numbers in the state beside what is needed. */
  readonly log?: number;
  /** Random numbers in the state: nothing can pack them small. */
  readonly noise?: number;
}

export interface CountingResult {
  readonly value: { readonly hash: number; readonly sum: number };
  /** The step at which the attempt began that brought the result. */
  readonly from: number;
}

const shared = `
  const begin = (input, task) => task.state ?? {
    i: 0, hash: 7, sum: 0, offers: 0,
    log: Array.from({ length: input.log ?? 0 }, (_, i) => i),
    noise: Array.from({ length: input.noise ?? 0 }, () => task.random()),
  };
  const spin = (rounds) => {
    let x = 1;
    for (let i = 0; i < rounds; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
    if (x === 0.5) throw new Error('never, but the loop has to run to know it');
  };
  const isHeld = (s, input, task) => task.attempt === 1 && s.i === input.hold;
  const step = (s) => {
    s.hash = (s.hash * 31 + s.i) % 1000003;
    s.i++;
  };
  const offer = (s, input) => {
    s.offers++;
    return { state: s, progress: s.i / input.steps };
  };
  const end = (s, from) => ({ value: { hash: s.hash, sum: s.sum }, from });
`;

export const plain = `${shared}
export default (input, task) => {
  const s = begin(input, task), from = s.i;
  while (s.i < input.steps) {
    spin(input.rounds);
    if (!isHeld(s, input, task)) step(s);
    task.checkpoint(s, offer(s, input));
  }
  return end(s, from);
};`;

export const async = `${shared}
export default async (input, task) => {
  const s = begin(input, task), from = s.i;
  while (s.i < input.steps) {
    await new Promise((resolve) => setTimeout(resolve, input.ms));
    if (!isHeld(s, input, task)) step(s);
    await task.checkpoint(s, offer(s, input));
  }
  return end(s, from);
};`;

export const generator = `${shared}
export default function* (input, task) {
  const s = begin(input, task), from = s.i;
  while (s.i < input.steps) {
    spin(input.rounds);
    if (!isHeld(s, input, task)) step(s);
    yield offer(s, input);
  }
  return end(s, from);
}`;

/** A generator that draws two random numbers at every step. */
export const drawing = `${shared}
export default function* (input, task) {
  const s = begin(input, task), from = s.i;
  while (s.i < input.steps) {
    spin(input.rounds);
    if (!isHeld(s, input, task)) {
      s.sum += task.random() - Math.random();
      step(s);
    }
    yield offer(s, input);
  }
  return end(s, from);
}`;

export function counting(
  source: string,
  inputs: readonly CountingInput[],
  intervalSeconds = 0.05,
): JobSubmission {
  return {
    program: { kind: 'javascript', source },
    inputs,
    checkpoint: { interval_seconds: intervalSeconds },
  };
}

/** The result of such a task when nothing disturbs it. */
export function undisturbed(
  { steps, noise = 0 }: CountingInput,
  taskId: string,
  draws = false,
): CountingResult['value'] {
  const random = SeededRandom.fromText(taskId);
  for (let i = 0; i < noise; i++) random.next();
  let [hash, sum] = [7, 0];
  for (let i = 0; i < steps; i++) {
    if (draws) sum += random.next() - random.next();
    hash = (hash * 31 + i) % 1000003;
  }
  return { hash, sum };
}

/** It was resumed from that record, at the step that the attempt itself names. */
export function expectResumedFrom(
  event: RecoveryEvent,
  records: readonly CheckpointRecord[],
  from: number,
  { steps }: CountingInput,
): void {
  const record = records.find(({ id }) => id === event.checkpoint_id);
  expect(record).toMatchObject({ task_id: event.task_id, progress: event.resumed_from_progress });
  expect(record!.attempt).toBeLessThan(event.next_attempt!);
  expect(from).toBe(Math.round(record!.progress * steps));
  expect(from).toBeGreaterThan(0);
}
