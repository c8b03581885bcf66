// Why a pending task still waits: its place in the queue, and for every worker what keeps it from
// taking the task. It asks the same questions as the scheduling pass.

import { meets } from '../../core/eligibility.ts';
import { findPause, pausesUntil } from '../../core/refusals.ts';
import type { Lane } from '../../core/queue.ts';
import { entryOf, entrySize } from '../../core/entries.ts';
import type {
  EntryRecord,
  JobRecord,
  RefusalPause,
  TaskRecord,
  WorkerRecord,
} from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { Hindrance, HindranceCode } from '../../protocol/hindrances.ts';
import type { TaskWaiting, WaitingCode, WaitingWorker } from '../../protocol/explanations.ts';
import { counted, duration } from '../../protocol/wording.ts';
import { absence, fullness, mismatch, unwillingness } from '../decisions/hindrances.ts';
import { isoTime } from '../iso-time.ts';

/** Workers that are listed one by one. */
const mostShown = 200;

interface Candidate {
  readonly worker: WorkerRecord;
  readonly hindrances: Hindrance[];
  /** It could take the task if it had a free slot. */
  readonly isFit: boolean;
  isEligible: boolean;
}

export function explainWaiting(
  state: State,
  job: JobRecord,
  index: number,
  now: number,
  tellsAll = true,
): TaskWaiting {
  const task = job.tasks.get(index);
  const candidates = Array.from(state.workers.values(), (worker) =>
    candidate(worker, job, now, tellsAll),
  );
  preferOthers(candidates, task);
  const notBefore = task?.notBefore ?? 0;
  const pauseMs = notBefore - now;
  const isQueued = pauseMs <= 0 && job.heldAt === null;
  const tasksAhead = isQueued ? countAhead(state, job, index, candidates) : null;
  const { programKind: kind } = job.spec;
  const { code, reason } = heldText(job, now) ?? verdict(candidates, kind, tasksAhead, pauseMs);
  return {
    code,
    reason,
    not_before: notBefore > 0 ? isoTime(notBefore) : null,
    tasks_ahead: tasksAhead,
    worker_count: candidates.length,
    reasons: countReasons(candidates),
    workers: nearest(candidates).slice(0, mostShown).map(waitingWorker),
  };
}

/** What a worker has said of other jobs is told only to who sees those. */
function candidate(
  worker: WorkerRecord,
  job: JobRecord,
  now: number,
  tellsAll: boolean,
): Candidate {
  const { programKind, requirements } = job.spec;
  const hindrances = [...absence(worker, now), ...mismatch(worker, programKind, requirements)];
  const isFit = hindrances.length === 0;
  const pause = findPause(job, worker, now);
  if (pause !== undefined) {
    if (pausesUntil(worker, now) === pause.until) {
      hindrances.push(...unwillingness(worker, now, tellsAll));
    } else hindrances.push({ code: 'refused_here', text: pauseText(pause, now) });
  }
  hindrances.push(...fullness(worker));
  return { worker, hindrances, isFit, isEligible: hindrances.length === 0 };
}

/** `refused it (battery at 7 %), is asked again in 32 s`; from the second offer on with their number. */
function pauseText({ outcome, reason, count, until }: RefusalPause, now: number): string {
  const what = outcome === 'refused' ? 'refused it' : 'gave it back';
  const often = count === 1 ? '' : ` ${counted(count, 'time')} in a row`;
  const why = reason === null ? '' : ` (${reason})`;
  return `${what}${often}${why}, is asked again in ${duration(until - now)}`;
}

/** Workers on which the task failed or was lost, or that refused it, are asked only when no other is left. */
function preferOthers(candidates: readonly Candidate[], task: TaskRecord | undefined): void {
  const { avoid = [], untaken = [] } = task ?? {};
  if (avoid.length === 0) return;
  const isAvoided = ({ worker }: Candidate) => avoid.includes(worker.id);
  const hasOthers = candidates.some((each) => each.isEligible && !isAvoided(each));
  const hasBusyOthers = candidates.some((each) => each.isFit && !isAvoided(each));
  for (const each of candidates.filter(isAvoided)) {
    if (hasBusyOthers) each.isEligible = false;
    // The pause says it already.
    if (each.hindrances.some(({ code }) => code === 'refused_here')) continue;
    const hasRefused = untaken.some(({ workerId }) => workerId === each.worker.id);
    const text = hasRefused
      ? 'it refused the task before'
      : 'the task failed or was lost here before';
    const others = hasOthers ? ': others come first' : ': for a while it waits for another';
    each.hindrances.push({
      code: hasRefused ? 'refused_here' : 'failed_here',
      text: hasBusyOthers ? `${text}${others}` : text,
    });
  }
}

function heldText({ heldAt }: JobRecord, now: number): ReturnType<typeof verdict> | undefined {
  if (heldAt === null) return undefined;
  const since = duration(now - heldAt);
  return {
    code: 'held',
    reason: `Its job is held, for ${since} now: nothing of it starts before it is released.`,
  };
}

function verdict(
  candidates: readonly Candidate[],
  kind: string,
  tasksAhead: number | null,
  pauseMs: number,
): { readonly code: WaitingCode; readonly reason: string } {
  const fit = candidates.filter(({ isFit }) => isFit).length;
  const workers = fit === 2 ? 'both workers' : `all ${counted(fit, 'worker')}`;
  if (tasksAhead === null) {
    const reason = `It pauses after its last attempt, and is tried again in ${duration(pauseMs)}.`;
    return { code: 'retry_delay', reason };
  }
  if (candidates.length === 0) {
    return { code: 'no_worker', reason: 'No worker is registered.' };
  }
  if (fit === 0) return { code: 'no_eligible_worker', reason: nobodyText(candidates, kind) };
  const isFree = candidates.some(({ isEligible }) => isEligible);
  const state = isFree ? 'being filled' : 'busy';
  const ahead = `${counted(tasksAhead, 'task')} ${tasksAhead === 1 ? 'comes' : 'come'} first`;
  if (!isFree && isRefused(candidates)) {
    const behind = tasksAhead > 0 ? `; ${ahead}` : '';
    return { code: 'refused', reason: `${refusedText(candidates)}${behind}.` };
  }
  if (tasksAhead > 0) {
    const who = fit === 1 ? 'the one worker' : workers;
    const reason = `${ahead}, and ${who} that may run it ${fit === 1 ? 'is' : 'are'} ${state}.`;
    return { code: 'queued_behind', reason };
  }
  if (!isFree) {
    const who =
      fit === 1 ? 'the one worker that may run it has' : `${workers} that may run it have`;
    return { code: 'workers_busy', reason: `It is first in the queue, but ${who} no free slot.` };
  }
  return { code: 'next', reason: 'It is about to be given to a worker.' };
}

/** Every worker that may run it pauses because it did not take tasks of the job, or of several. */
function isRefused(candidates: readonly Candidate[]): boolean {
  return candidates.every(
    ({ isFit, hindrances }) => !isFit || hindrances.some(({ code }) => code === 'refused_here'),
  );
}

function refusedText(candidates: readonly Candidate[]): string {
  const fit = candidates.filter(({ isFit }) => isFit);
  const { text } = fit[0]!.hindrances.find(({ code }) => code === 'refused_here')!;
  if (fit.length > 1) return `All ${fit.length} workers that may run it have refused it`;
  return `The one worker that may run it, ${nameOf(fit[0]!.worker)}, ${text}`;
}

function nobodyText(candidates: readonly Candidate[], kind: string): string {
  const [first] = candidates;
  if (candidates.length === 1) {
    const texts = first!.hindrances.map(({ text }) => text);
    return `The one worker, ${nameOf(first!.worker)}, cannot take it: ${texts.join('; ')}.`;
  }
  const isOther = ({ code }: Hindrance) => code === 'kind';
  if (candidates.every(({ hindrances }) => hindrances.some(isOther))) {
    return `None of the ${candidates.length} workers offers ${kind}, which its program needs.`;
  }
  const counts = countReasons(candidates).filter(({ code }) => code !== 'no_free_slot');
  const texts = counts.map(({ workers, text }) => `${workers} ${text}`);
  return `None of the ${candidates.length} workers can take it: ${texts.join(', ')}.`;
}

function nameOf({ id, name }: WorkerRecord): string {
  return name ?? id;
}

/** For sentences like `2 offline, 1 draining`. */
const reasonTexts: Readonly<Record<HindranceCode, string>> = {
  offline: 'offline',
  quarantined: 'quarantined',
  waiting: 'that nobody has let in yet',
  draining: 'draining',
  connection_closed: 'with a closed connection',
  leaving: 'about to leave',
  resting: 'resting',
  asleep: 'asleep',
  kind: 'for other kinds of programs',
  requirement: 'short of a requirement',
  no_free_slot: 'without a free slot',
  failed_here: 'on which it failed before',
  refused_here: 'that refused it',
};

function countReasons(candidates: readonly Candidate[]): TaskWaiting['reasons'] {
  const counts = new Map<HindranceCode, number>();
  for (const { hindrances } of candidates) {
    for (const { code } of hindrances) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts]
    .map(([code, workers]) => ({ code, text: reasonTexts[code], workers }))
    .toSorted((a, b) => b.workers - a.workers);
}

/** First workers that could take the task, then those that only lack a slot, then the others. */
function nearest(candidates: readonly Candidate[]): Candidate[] {
  const distance = ({ isEligible, isFit, hindrances }: Candidate) =>
    isEligible ? 0 : isFit ? 1 : 1 + hindrances.length;
  return candidates.toSorted((a, b) => distance(a) - distance(b));
}

function waitingWorker({ worker, isEligible, hindrances }: Candidate): WaitingWorker {
  const { id, name } = worker;
  return { worker_id: id, name, eligible: isEligible, reasons: hindrances };
}

/**
 * Tasks before this one in the queue, at the worker that may run this one where fewest come first: those that only
 * others may run do not hold it up. When no worker may, all tasks before it.
 */
function countAhead(
  state: State,
  job: JobRecord,
  index: number,
  candidates: readonly Candidate[],
): number {
  const own = entryOf(job, index);
  if (own === undefined) return 0;
  const lanes = [...state.queue.lanes()]
    .map((lane) => ({ lane, ahead: aheadIn(lane, state, own, index) }))
    .filter(({ ahead }) => ahead > 0);
  const sum = (of: typeof lanes) => of.reduce((all, { ahead }) => all + ahead, 0);
  const fit = candidates.filter(({ isFit }) => isFit);
  if (fit.length === 0) return sum(lanes);
  let fewest = Infinity;
  for (const { worker } of fit) {
    const count = sum(
      lanes.filter(({ lane: { kind, requirements } }) => meets(worker, kind, requirements)),
    );
    fewest = Math.min(fewest, count);
    if (fewest === 0) break;
  }
  return fewest;
}

function aheadIn(lane: Lane, { queue }: State, own: EntryRecord, index: number): number {
  let ahead = 0;
  for (let place = lane.head; place < lane.entries.length; place++) {
    const entry = lane.entries[place]!;
    const order = queue.compare(entry, own);
    // Entries of a lane are in queue order: all others come later.
    if (order > 0) break;
    ahead += order < 0 ? waitingIn(entry) : waitingBefore(entry, index);
  }
  return ahead;
}

function waitingIn(entry: EntryRecord): number {
  return entrySize(entry) - entry.cursor + entry.due.size;
}

function waitingBefore(entry: EntryRecord, index: number): number {
  const due = entry.due.values().filter((each) => each < index).length;
  return due + Math.max(0, placeOf(entry, index) - entry.cursor);
}

/** How many indices of the entry are smaller. */
function placeOf({ indices }: EntryRecord, index: number): number {
  if (indices === null) return index;
  let low = 0;
  let high = indices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (indices[middle]! < index) low = middle + 1;
    else high = middle;
  }
  return low;
}
