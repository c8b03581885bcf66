// Why a worker is in the state in which it is: what, why, and what comes next, in sentences.

import { restText } from '../../../../protocol/resting.ts';
import type { Worker } from '../../store/cluster.ts';
import { counted } from '../../text/words.ts';
import { ago, moment, wholeDuration } from '../../text/times.ts';
import { grouped, percentOf } from '../../text/numbers.ts';
import { failing, type Outcomes, silenceSeconds, troubleOf } from './trouble.ts';

export interface WorkerReason {
  /** `It fails what succeeds elsewhere`. */
  readonly title: string;
  readonly text: string;
  readonly isTrouble: boolean;
}

interface ReasonAsked {
  readonly worker: Worker;
  readonly all: Outcomes;
  /** Null: not in quarantine, or not known yet. */
  readonly quarantinedUntil: string | null;
  readonly nowMs: number;
  /** Whoever looks has drained it, on this page. */
  readonly isOwnDrain: boolean;
}

export function reasonOf(asked: ReasonAsked): WorkerReason {
  const { worker, all, nowMs } = asked;
  const trouble = troubleOf(worker, all, nowMs);
  if (trouble !== null) return { ...troubleReason(asked), isTrouble: true };
  return { ...stateReason(asked), isTrouble: false };
}

type Sentences = Pick<WorkerReason, 'title' | 'text'>;

function troubleReason({ worker, all, quarantinedUntil, nowMs }: ReasonAsked): Sentences {
  switch (troubleOf(worker, all, nowMs)!.kind) {
    case 'waiting':
      return {
        title: 'It asks to be let in',
        text: `${joinedBy(worker)}It gets nothing before you let it in.${removedAt(worker, nowMs)} What it says of itself is only what it says.`,
      };
    case 'quarantined':
      return {
        title: 'It fails what succeeds elsewhere',
        text: `${attemptsFailed(worker)}, and others completed the same tasks. ${
          quarantinedUntil === null || Date.parse(quarantinedUntil) <= nowMs
            ? 'It gets one task as a probe.'
            : `It gets nothing until ${moment(quarantinedUntil, nowMs)}, then one task as a probe.`
        } When a task completes here, it is trusted again.`,
      };
    case 'silent': {
      const silence = silenceSeconds(worker, nowMs) ?? 0;
      const left = worker.lease_seconds - silence;
      return {
        title: 'It is silent',
        text: `Nothing was heard of it for ${wholeDuration(silence)}. ${
          left > 0
            ? `In ${wholeDuration(left)} it counts as lost, and its tasks go to others.`
            : 'It is about to count as lost, and its tasks go to others.'
        }`,
      };
    }
    case 'refusing': {
      const { offers, until, reason } = worker.refusing!;
      return {
        title: 'It gives tasks back',
        text: `${counted(offers, 'task')} in a row, without trying. ${reason === null ? '' : `It says: ${reason}. `}It is asked again at ${moment(until, nowMs)}.`,
      };
    }
    case 'failing': {
      const { total_completed: done, total_failed: failed } = worker;
      return {
        title: 'It fails more than others',
        text: `${percentOf(failed, done + failed)} of what ended here failed. It still gets work: it is put in quarantine only when others complete what it failed three times in a row.`,
      };
    }
  }
}

function joinedBy({ joined_by: by }: Worker): string {
  const label = by?.label ?? null;
  return label === null ? '' : `It came by the link "${label}". `;
}

function removedAt({ waits_until: end }: Worker, nowMs: number): string {
  return end === undefined ? '' : ` Without an answer it is removed at ${moment(end, nowMs)}.`;
}

function stateReason(asked: ReasonAsked): Sentences {
  const { worker, nowMs } = asked;
  const { status, leaving, draining, active_tasks: active, slots } = worker;
  if (status === 'offline') {
    return {
      title: 'It is away',
      text: `It was last heard ${ago(worker.last_heartbeat, nowMs)}. What it had went to others. It comes back by itself when it is started again.`,
    };
  }
  if (leaving) {
    return {
      title: 'It is about to leave',
      text: `Its program was told to end. ${leftOf(active)}`,
    };
  }
  if (draining !== null) return drainReason(asked, draining);
  if (worker.rests_because !== null) return restReason(worker, nowMs);
  if (status === 'busy') {
    return { title: 'It works', text: `All of its ${counted(slots, 'slot')} are taken.` };
  }
  return {
    title: active === 0 ? 'It is ready' : 'It works, and could do more',
    text: `${active === 0 ? `All ${counted(slots, 'slot')} are` : `${counted(slots - active, 'slot')} of ${slots} ${slots - active === 1 ? 'is' : 'are'}`} free: nothing that it may run waits for a slot.`,
  };
}

function drainReason(
  { worker, all, nowMs, isOwnDrain }: ReasonAsked,
  { since, deadline }: NonNullable<Worker['draining']>,
): Sentences {
  const at = since === null ? null : moment(since, nowMs);
  const who = `${isOwnDrain ? 'You' : 'Somebody'} drained it${at === null ? '' : ` at ${at}`}`;
  const why = failing(worker, all) === null ? '' : ` ${attemptsFailed(worker)}.`;
  if (worker.active_tasks > 0) {
    const end =
      deadline === null ? '' : ` At ${moment(deadline, nowMs)} what is left goes to others.`;
    return {
      title: 'It takes nothing new',
      text: `${who}. ${leftOf(worker.active_tasks)}${end} Then it is out of service.${why}`,
    };
  }
  return {
    title: `It is out of service${at === null ? '' : ` since ${at}`}`,
    text: `${who}. Nothing was given to it since, and nothing is left there.${why}`,
  };
}

/** `All 10 attempts failed here`. */
function attemptsFailed({ total_completed: done, total_failed: failed }: Worker): string {
  return done === 0
    ? `All ${counted(failed, 'attempt')} failed here`
    : `${grouped(failed)} of ${counted(done + failed, 'attempt')} failed here`;
}

/** The present reason with its age: an old one would be a wrong one. */
function restReason(worker: Worker, nowMs: number): Sentences {
  const { rests_because: because, rests_since: since, last_heartbeat: heard } = worker;
  const from = since === null ? '' : ` since ${moment(since, nowMs)}`;
  return {
    title: `It rests: ${restText(because!)}`,
    text: `Its owner, or the device itself, wants it so${from}; it said so ${ago(heard, nowMs)}. It is no fault, and it goes on by itself.`,
  };
}

function leftOf(active: number): string {
  if (active === 0) return 'It has nothing left.';
  return `${counted(active, 'task is', 'tasks are')} left: each is handed over at its next checkpoint, or runs to its end.`;
}
