// The forms in which a client may give a program, and how the source is made from them.

import { ProgramError } from './errors.ts';
import type * as Packing from './packing/pack.ts';

/** The second argument of a task function. */
export interface TaskContext<Input = unknown> {
  readonly input: Input;
  readonly index: number;
  readonly task_id: string;
  readonly job_id: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** True when there is a `state` to go on from. */
  readonly resumed: boolean;
  /** State of the last checkpoint, a copy that belongs to this attempt; null without one. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the function itself saved
  readonly state: any;
  /** The value that all tasks of the job share, or undefined. It must not be changed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever was submitted with the job
  readonly shared: any;
  /** True once the attempt was asked to stop. */
  readonly cancelled: boolean;
  /** From 0 to below 1; a second attempt draws the same numbers. */
  random(): number;
  /** Reports how far the task has come, 0 to 1. */
  progress(share: number, message?: string): void;
  /** Offers a state to go on from; it is saved when a checkpoint is due. */
  checkpoint(
    state: unknown,
    offer?: { readonly progress?: number; readonly message?: string },
  ): Promise<void>;
  checkpoint_due(): boolean;
}

/** Values and functions that are sent with a task function, by name. */
export type SentAlong = Readonly<Record<string, unknown>>;

/**
 * A plain or async function, or a generator, which offers a checkpoint when it yields `{ state,
 * progress }`. It runs on another device, so everything it needs must be in its own source, in its
 * input, or in `with`, which is its third argument. In Node it may bring packages along:
 * `const { sum } = await import('lodash-es')`.
 */
export type TaskFunction<Input, Output, With = SentAlong> = (
  input: Input,
  task: TaskContext<Input>,
  along: With,
) => Output | Promise<Output> | Generator<unknown, Output, unknown>;

/** An ES module whose default export is the task function. */
export interface ProgramSource {
  readonly source: string;
}

/** Rejects with a `ProgramError` before anything is sent. */
export async function programSource(
  program: TaskFunction<never, unknown, never> | ProgramSource | string,
  along?: SentAlong,
): Promise<string> {
  const given = typeof program === 'function' ? program : textOf(program);
  if (typeof given === 'string') checkExport(given);
  // Asked for by every job: to be told by the platform each time that it is loaded costs more than the rest.
  packing ??= await import('./packing/pack.ts');
  return packing.packProgram(given, along);
}

let packing: typeof Packing | undefined;

function textOf(program: unknown): string {
  if (typeof program === 'string') return program;
  const source: unknown = (program as Partial<ProgramSource> | null | undefined)?.source;
  if (typeof source === 'string') return source;
  const isMissing = program === undefined || program === null;
  const other = typeof program === 'object' ? 'an object without a source' : `a ${typeof program}`;
  throw new TypeError(
    `The program is ${isMissing ? 'missing' : other}: give a function, (input, task) => …, or the text of a module.`,
  );
}

/** Without this word there is no default export. An escape could spell it. */
function checkExport(source: string): void {
  if (/default|\\/.test(source)) return;
  const message = 'it has no default export: write `export default function (input, task) { … }`';
  throw new ProgramError('The program', [{ name: null, line: null, column: null, message }]);
}
