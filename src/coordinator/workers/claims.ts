// A claim of a worker over plain HTTP: waits until something is in the mailbox, takes it with what it needs,
// and commits that it was handed out before it is answered.

import type { AttemptRecord } from '../../core/records.ts';
import { payloadText, programJson } from '../../protocol/codec.ts';
import type { Result } from '../port/rejection.ts';
import type { ClaimedAssignment } from '../port/workers.ts';
import type { Batch } from '../writer/batch.ts';
import { assignmentOf, jobProgramOf } from './assignment.ts';
import { type Outfit, type Outfitter, portions } from './outfitter.ts';
import type { PullCallOptions, PullCalls } from './pull-calls.ts';
import type { PullSession } from './pull-session.ts';

export interface ClaimOptions extends PullCallOptions {
  readonly outfitter: Outfitter;
  /** Called when something that the attempt needs cannot be read. */
  readonly onUnreadable: (attempt: AttemptRecord, problem: string) => void;
}

/** An attempt with all that it needs, for the answer to a claim. */
interface Ready {
  readonly attempt: AttemptRecord;
  readonly given: Omit<ClaimedAssignment, 'lease_seconds'>;
}

/** Most bytes in the answer to a claim, unless its first assignment is larger. */
const claimedBytes = 16 * 1024 * 1024;
/** Inputs read at once: those that turn out not to fit are read again for the next claim. */
const portionOfClaim = { most: 16 };

export class Claims {
  private readonly options: ClaimOptions;
  private readonly calls: PullCalls;

  constructor(options: ClaimOptions, calls: PullCalls) {
    this.options = options;
    this.calls = calls;
  }

  async claim(
    workerId: string,
    token: string,
    how: { readonly max: number; readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<Result<readonly ClaimedAssignment[]>> {
    const { runtime, loop } = this.options;
    const until = loop.steadyNow + how.waitMs;
    const arrived = await this.calls.call(
      workerId,
      token,
      [],
      1,
      (_batch, found) => () => found,
      true,
    );
    if (!arrived.ok) return arrived;
    const session = arrived.value;
    // Tasks that this very batch assigns are in the mailbox when the batch is over.
    await loop.settled();
    for (;;) {
      // A claim whose reader is gone must not take assignments along.
      if (hasGone(how.signal)) return { ok: true, value: [] };
      if (session.hasMail) {
        const taken = await this.deliver(workerId, token, session, how);
        if (!taken.ok) return taken;
        if (taken.value.length === 0) continue;
        if (!hasGone(how.signal)) return taken;
        await this.takeBack(workerId, taken.value);
        return { ok: true, value: [] };
      }
      if (loop.steadyNow >= until || !session.isOpen) return { ok: true, value: [] };
      const renewAt = loop.steadyNow + this.calls.leaseMs(workerId) / 2;
      const waitMs = Math.min(until, renewAt) - loop.steadyNow;
      await session.news(runtime, waitMs, how.signal);
      // A worker that waits for the answer is alive, so its lease is renewed meanwhile.
      if (loop.steadyNow < renewAt || hasGone(how.signal)) continue;
      const renewed = await this.calls.call(workerId, token, [], 1, () => () => null, true);
      if (!renewed.ok) return renewed;
    }
  }

  /** Empty when all that waited cannot be read, has ended, or was given to another claim. */
  private deliver(
    workerId: string,
    token: string,
    session: PullSession,
    how: { readonly max: number; readonly signal?: AbortSignal },
  ): Promise<Result<readonly ClaimedAssignment[]>> {
    return session.claims.run(async () => {
      const ready = await this.outfit(session, how.max);
      const isOver = ready.length === 0 || hasGone(how.signal) || !session.isOpen;
      if (isOver) return { ok: true, value: [] };
      return this.calls.call(workerId, token, [], ready.length, (batch, current) => {
        const isCurrent = current === session;
        const taken = ready.filter((each) => isCurrent && this.handOut(batch, session, each));
        const lease_seconds = this.calls.leaseMs(workerId) / 1000;
        // An attempt that has ended in this very batch is left out.
        return () =>
          taken
            .filter(({ attempt }) => this.isLive(attempt))
            .map(({ given }) => ({ ...given, lease_seconds }));
      });
    });
  }

  /** Waiting attempts with all that they need; those that would make the answer too long go on waiting. */
  private async outfit(session: PullSession, max: number): Promise<readonly Ready[]> {
    const { outfitter, onUnreadable } = this.options;
    const ready: Ready[] = [];
    let bytes = 0;
    for (const portion of portions(session.mail(max), portionOfClaim)) {
      for (const outfit of await outfitter.outfit(portion, [])) {
        const each = await this.filledIn(outfit);
        if (typeof each === 'string') {
          session.takeOut(outfit.attempt);
          // An attempt that has ended meanwhile needs nothing.
          if (this.isLive(outfit.attempt)) onUnreadable(outfit.attempt, each);
          continue;
        }
        bytes += bytesOf(each.given);
        if (ready.length > 0 && bytes > claimedBytes) return ready;
        ready.push(each);
      }
    }
    return ready;
  }

  /** Adds the program. Returns a sentence when something cannot be read. */
  private async filledIn(outfit: Outfit): Promise<Ready | string> {
    if (outfit.problem !== null) return outfit.problem;
    const { attempt } = outfit;
    const program = await this.options.outfitter.readProgram(attempt.task.job);
    if (typeof program === 'string') return program;
    return { attempt, given: { ...assignmentOf(outfit), ...jobProgramOf(outfit, program) } };
  }

  private isLive(attempt: AttemptRecord): boolean {
    const { job, index } = attempt.task;
    const task = this.options.state.jobs.get(job.spec.id)?.tasks.get(index);
    return task?.live.includes(attempt) === true;
  }

  /** The reader has gone while the delivery was committed: other workers may have the tasks at once. */
  private async takeBack(
    workerId: string,
    assignments: readonly ClaimedAssignment[],
  ): Promise<void> {
    const { chance } = this.options.runtime;
    await this.options.loop.ask((batch) => {
      for (const { job_id: jobId, index, attempt, token } of assignments) {
        const claim = { jobId, index, attempt, token, workerId };
        const { at } = batch;
        batch.execute({
          type: 'release',
          ...claim,
          reason: 'released',
          message: 'The answer to the claim did not reach the worker.',
          isOwnWish: false,
          chance: chance(),
          at,
        });
      }
      return () => undefined;
    });
  }

  /** False when the attempt was withdrawn meanwhile. */
  private handOut(batch: Batch, session: PullSession, { attempt }: Ready): boolean {
    session.takeOut(attempt);
    if (!this.isLive(attempt)) return false;
    const sequence = session.deliveries + 1;
    const { rejection } = batch.execute({
      type: 'deliver_attempt',
      attempt,
      sequence,
      at: batch.at,
    });
    if (rejection !== undefined) return false;
    session.deliveries = sequence;
    return true;
  }
}

function hasGone(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Size in the answer, within a kilobyte. */
function bytesOf({ input, checkpoint, program }: Ready['given']): number {
  const state = checkpoint === undefined ? '' : payloadText(checkpoint.state);
  const texts = [programJson(program), payloadText(input), state];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 1000);
}
