// Makes a program known to a child: what it must forget before, what it is lent, and what it is told.

import type { ExecutorProgram } from '../executor.ts';
import type { ProgramExtras, ToChild } from '../sandbox/messages.ts';
import type { Child } from './child.ts';

/** What its program names cannot be given to the child, which does not know the program then. */
export class LendingFault extends Error {
  override readonly name = 'LendingFault';
}

export interface Defaults {
  readonly meanTimeMs: number;
  readonly memoryLimitMb: number;
}

/** Adds the orders. Throws a `LendingFault`. */
export function teach(
  child: Child,
  program: ExecutorProgram,
  { meanTimeMs, memoryLimitMb }: Defaults,
  orders: ToChild[],
): void {
  const { jobId, source, checkpointIntervalMs, keepOutput, liveOutput } = program;
  const { programs } = child;
  // The texts of guests are short, or name what is large: they are not shared.
  const sha256 = program.kind === 'javascript' ? (program.sha256 ?? null) : null;
  const characters = source.length + (program.sharedJson?.length ?? 0);
  const { forgotten, hasText } = programs.learn(jobId, characters, sha256, lentBytes(program));
  for (const other of forgotten) orders.push(orderToForget(child, other));
  const extras = lend(child, program, memoryLimitMb);
  const text = hasText ? null : source;
  // Of a task that succeeds, the child tells all only so; what the report brings is decided elsewhere.
  const told = liveOutput === true ? 'always' : keepOutput;
  orders.push(['program', jobId, sha256, text, checkpointIntervalMs, meanTimeMs, told, ...extras]);
}

/** What the child was lent for the job is taken back. */
export function orderToForget(child: Child, jobId: string): ToChild {
  child.takeBack(jobId);
  return ['forget', jobId];
}

export function lentBytes({ blobs }: ExecutorProgram): number {
  let bytes = 0;
  for (const blob of blobs?.values() ?? []) {
    bytes += 'bytes' in blob ? blob.bytes.byteLength : blob.sizeBytes;
  }
  return bytes;
}

function lend(
  child: Child,
  program: ExecutorProgram,
  memoryLimitMb: number,
): readonly [] | readonly [ProgramExtras] {
  const { jobId, kind, sharedJson = null, blobs } = program;
  if (kind === 'javascript' && sharedJson === null && blobs === undefined) return [];
  const memoryMb = program.memoryMb ?? memoryLimitMb;
  try {
    const lent = blobs === undefined ? [] : child.lend(jobId, blobs);
    return [{ kind, memoryMb, sharedJson, blobs: lent }];
  } catch (error) {
    child.programs.forget(jobId);
    const why = error instanceof Error ? error.message : 'no room';
    throw new LendingFault(`what its program names cannot be put into the sandbox: ${why}`);
  }
}
