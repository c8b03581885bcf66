// The life of one task in words: what was tried, by whom, how it ended; and its state in a sentence.

import type { DecisionExplanation, StoryLine, TaskWaiting } from '../../protocol/explanations.ts';
import type { AttemptEntry, RecoveryEvent, TaskDetail } from '../../protocol/resources.ts';
import { counted, duration } from '../../protocol/wording.ts';

/** What the story needs beside the task itself. */
export interface StoryContext {
  /** When and by whom the job was submitted. */
  readonly submittedAt: string;
  readonly clientId: string;
  /** Null for a worker that is not there any more, or has no name. */
  readonly nameOf: (workerId: string) => string | null;
  /** The recovery events of this task. */
  readonly recoveries: readonly RecoveryEvent[];
  readonly now: number;
}

/** Characters of an error that are told; the entry of the attempt has all of it. */
const mostErrorCharacters = 300;

export function taskStory(task: TaskDetail, context: StoryContext): StoryLine[] {
  const { clientId, submittedAt } = context;
  const by = clientId === 'anonymous' ? '' : ` by ${clientId}`;
  return [
    { at: submittedAt, text: `submitted${by}` },
    // Before the ends of attempts: one that is handed over ends at the moment of its checkpoint.
    ...checkpointLines(task),
    ...task.attempts.flatMap((attempt) => attemptLines(attempt, context)),
    ...recalledLines(task),
    ...context.recoveries.flatMap((event) => recoveryLines(event, context)),
    ...endLines(task),
  ].toSorted(byTime);
}

/** Lines without a time keep their place behind the line before them. */
function byTime(a: StoryLine, b: StoryLine): number {
  return a.at === null || b.at === null ? 0 : at(a.at) - at(b.at);
}

export function taskSummary(
  task: TaskDetail,
  waiting: TaskWaiting | null,
  decision: DecisionExplanation | null,
  context: StoryContext,
): string {
  const newest = task.attempts.at(-1);
  const attempt = `Attempt ${task.attempt}`;
  const on = nameOrId(task.worker_id ?? '', context);
  const why =
    decision === null || decision.attempt !== task.attempt
      ? ''
      : ` It went there under ${decision.algorithm}: ${decision.reason}.`;
  switch (task.status) {
    case 'pending':
      return waiting === null ? 'It waits.' : `${triesText(task)}${waiting.reason}`;
    case 'assigned':
      return `${attempt} was given to ${on} and has not begun.${why}`;
    case 'running':
      return `${attempt} runs on ${on}${sinceText(newest, context)}.${why}`;
    case 'completed':
      return `Completed on ${on}${ranText(task)}${attemptsText(task)}.${why}`;
    case 'failed':
      return `Failed after ${counted(task.attempts.length, 'attempt')}: ${endedError(task)}.`;
    case 'cancelled':
      return task.attempt === 0
        ? 'Cancelled with its job before it was given to a worker.'
        : `Cancelled with its job after ${counted(task.attempt, 'attempt')}.`;
  }
}

function attemptLines(attempt: AttemptEntry, context: StoryContext): StoryLine[] {
  const { assigned_at, started_at, ended_at, status } = attempt;
  const name = context.nameOf(attempt.worker_id);
  const worker = name === null ? attempt.worker_id : `${name} (${attempt.worker_id})`;
  const resumed = context.recoveries.find(
    ({ next_attempt, outcome }) => next_attempt === attempt.attempt && outcome !== 'adopted',
  );
  const lines: StoryLine[] = [
    {
      at: assigned_at,
      text: `attempt ${attempt.attempt} given to ${worker}${resumedText(resumed)}`,
    },
  ];
  if (ended_at === null) {
    return started_at === null ? lines : [...lines, { at: started_at, text: 'begun' }];
  }
  if (attempt.count > 1) return [...lines, { at: ended_at, text: againText(attempt) }];
  const beganAt = started_at ?? assigned_at;
  const after = beganAt === null ? '' : ` after ${duration(at(ended_at) - at(beganAt))}`;
  lines.push({
    at: ended_at,
    text: handedOverText(attempt, after) ?? `${ended[status]}${after}${reasonText(attempt)}`,
  });
  return lines;
}

/** Given back because its worker drains, leaves or rests: the message of its end says it. */
function handedOverText({ status, error }: AttemptEntry, after: string): string | undefined {
  const isHandedOver = error?.type === 'worker_drained' || error?.type === 'worker_rests';
  if (status !== 'released' || !isHandedOver) return undefined;
  const [, first = '', rest = ''] = /^(.)(.*?)\.?$/.exec(error.message) ?? [];
  return `${first.toLowerCase()}${rest.replace(', because', `${after}, because`)}`;
}

/** The checkpoint from which the attempt resumed. */
function resumedText(event: RecoveryEvent | undefined): string {
  if (event === undefined) return '';
  const { resumed_from_progress: progress, work_saved_seconds: saved } = event;
  if (progress === null) return ', to begin anew';
  return `, to go on from its checkpoint at ${percent(progress)}: ${duration(saved * 1000)} of work saved`;
}

function recoveryLines(event: RecoveryEvent, context: StoryContext): StoryLine[] {
  const { reason, outcome, attempt, next_attempt, from_worker_id, lost_at, resumed_at } = event;
  if (outcome === 'adopted' && reason === 'coordinator_restart') {
    const away = at(resumed_at ?? lost_at) - at(lost_at);
    const text =
      `the coordinator was restarted; attempt ${attempt} had gone on ` +
      `(nothing was heard of it for ${duration(away)})`;
    return [{ at: resumed_at, text }];
  }
  if (reason === 'straggler') {
    const on = nameOrId(from_worker_id, context);
    const text = `attempt ${attempt} on ${on} takes too long: attempt ${next_attempt} is a copy of it`;
    return [{ at: lost_at, text }];
  }
  return [];
}

const ended: Readonly<Record<AttemptEntry['status'], string>> = {
  assigned: 'given back',
  running: 'ended',
  completed: 'completed',
  failed: 'failed',
  lost: 'lost with its worker',
  timed_out: 'passed its time limit',
  revoked: 'taken back',
  refused: 'refused',
  released: 'given back by the worker',
  withdrawn: 'not fetched by the worker, and taken back',
  superseded: 'no longer needed',
};

/** Several attempts in a row that the worker did not take: from the first on, until the newest. */
function againText({ status, count, error }: AttemptEntry): string {
  const last = status === 'withdrawn' || error === null ? '' : `; last: ${error.message}`;
  return `${ended[status]} ${counted(count, 'time')} until here${last}`;
}

/** Attempts of which the history keeps nothing: they were recalled before they began. */
function recalledLines({ attempt: newest, attempts, assigned_at }: TaskDetail): StoryLine[] {
  const told = attempts
    .filter(({ status }) => status !== 'withdrawn')
    .reduce((sum, { count }) => sum + count, 0);
  const recalled = newest - told;
  if (recalled <= 0) return [];
  const text = `${counted(recalled, 'attempt')} recalled before ${recalled === 1 ? 'it' : 'they'} began, for another worker`;
  return [{ at: assigned_at, text }];
}

/** When the coordinator itself ended an attempt, the type of the error is the reason. */
function reasonText({ status, error }: AttemptEntry): string {
  if (error === null || status === 'withdrawn') return '';
  if (status === error.type) return `: ${error.message}`;
  const isTakenBack =
    status === 'revoked' || status === 'superseded' || status === 'lost' || status === 'released';
  return isTakenBack ? ` (${error.type.replaceAll('_', ' ')})` : `: ${errorText(error)}`;
}

/** When an attempt has more checkpoints than this, they are told in one line. */
const mostCheckpointLines = 3;

function checkpointLines({ checkpoints }: TaskDetail): StoryLine[] {
  const byAttempt = Map.groupBy(checkpoints, ({ attempt }) => attempt);
  return [...byAttempt.values()].flatMap((ofAttempt) => {
    const last = ofAttempt.at(-1)!;
    if (ofAttempt.length <= mostCheckpointLines) {
      return ofAttempt.map(({ created_at, progress }) => ({
        at: created_at,
        text: `saved its state at ${percent(progress)}`,
      }));
    }
    const text = `saved its state ${ofAttempt.length} times until here, last at ${percent(last.progress)}`;
    return [{ at: last.created_at, text }];
  });
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function endLines(task: TaskDetail): StoryLine[] {
  switch (task.status) {
    case 'pending':
      if (task.not_before === null) return [];
      return [{ at: task.not_before, text: 'may be tried again from then on' }];
    case 'failed':
      return [{ at: task.completed_at, text: 'failed for good' }];
    case 'cancelled':
      return [{ at: task.completed_at, text: 'cancelled with its job' }];
    default:
      return [];
  }
}

function triesText({ attempts }: TaskDetail): string {
  const tried = attempts.filter(({ status }) => isUnlucky(status)).length;
  return tried === 0 ? '' : `${counted(tried, 'attempt')} did not succeed. `;
}

function attemptsText({ attempts }: TaskDetail): string {
  const tried = attempts.filter(({ status }) => isUnlucky(status)).length;
  return tried === 0 ? '' : `, after ${counted(tried, 'attempt')} that did not succeed`;
}

function isUnlucky(status: AttemptEntry['status']): boolean {
  return status === 'failed' || status === 'lost' || status === 'timed_out';
}

function sinceText(attempt: AttemptEntry | undefined, { now }: StoryContext): string {
  const begun = attempt?.started_at ?? null;
  return begun === null ? '' : `, for ${duration(now - at(begun))} now`;
}

function ranText({ run_seconds: seconds }: TaskDetail): string {
  return seconds === null ? '' : ` in ${duration(seconds * 1000)}`;
}

function endedError({ error }: TaskDetail): string {
  return error === null ? 'no reason was given' : errorText(error).replace(/\.$/, '');
}

function errorText({ type, message }: { readonly type: string; readonly message: string }): string {
  const text = `${type}: ${message}`;
  return text.length <= mostErrorCharacters ? text : `${text.slice(0, mostErrorCharacters)}…`;
}

function nameOrId(workerId: string, { nameOf }: StoryContext): string {
  return nameOf(workerId) ?? workerId;
}

function at(moment: string): number {
  return Date.parse(moment);
}
