// What holds a job up: why it is not faster, or does not go on at all. Each in a sentence, the gravest first.

import type { TaskExplanation, TaskWaiting } from '../../../../protocol/explanations.ts';
import type { GlyphName } from '../../look/glyphs.tsx';
import type { AttemptOfHistory as Attempt } from '../../../../protocol/evaluation.ts';
import type { HindranceCode } from '../../../../protocol/hindrances.ts';
import type { JobHead, Worker } from '../../store/cluster.ts';
import { isOpen } from '../../store/job-share.ts';
import { meets } from '../../store/meets.ts';
import { cureOf, heldBack, whyHeldBack } from '../../store/held-back.ts';
import { isHere, takesTasks } from '../../store/presence.ts';
import { grouped, percent } from '../../text/numbers.ts';
import { requirementsInWords } from '../../text/requirements.ts';
import { clock, duration } from '../../text/times.ts';
import { capitalized, counted, inWords, listed, listedFirst } from '../../text/words.ts';
import { pageOfLabels } from '../workers/workers-view.ts';
import { repeatsOf, stragglerFactor, stragglersOf } from './task-times.ts';

export interface HoldUp {
  readonly id: string;
  readonly glyph: GlyphName;
  readonly title: string;
  readonly text: string;
  readonly link?: { readonly text: string; readonly href: string };
  /** What is typed in a terminal against it. */
  readonly command?: string;
}

export interface HoldUpSources {
  readonly head: JobHead;
  readonly workers: readonly Worker[] | null;
  readonly attempts: readonly Attempt[] | null;
  /** Of its next waiting task; null when none waits, or it is not known yet. */
  readonly explanation: TaskExplanation | null;
  readonly nameOfWorker: (id: string) => string;
  /** Until when the attempts are known: one of before may have ended since. */
  readonly knownMs: number;
  /** Of the coordinator, as workers reach it. */
  readonly address: string;
}

/** Fewer repeats than these are noise. */
const repeatsFrom = 0.01;
const mostNamed = 3;

export function holdUps(sources: HoldUpSources): readonly HoldUp[] {
  const { head } = sources;
  if (!isOpen(head)) return [];
  const all = [held, waiting, requirement, slots, devicesOut, stragglers, repeats].map((each) =>
    each(sources),
  );
  return all.filter((each) => each !== null);
}

function held({ head }: HoldUpSources): HoldUp | null {
  if (head.held_since === null) return null;
  const runs = head.counts.running + head.counts.assigned;
  const rest = runs === 0 ? '' : ` ${counted(runs, 'task')} that had begun go on.`;
  return {
    id: 'held',
    glyph: 'held',
    title: 'Held',
    text: `Nothing new of it starts since ${clock(new Date(head.held_since))}. Release it to go on.${rest}`,
  };
}

/** By the code of why its next task waits; what only waits for its turn is told by the slots. */
function waiting(sources: HoldUpSources): HoldUp | null {
  const { explanation } = sources;
  const why = explanation?.waiting ?? null;
  if (why === null) return null;
  switch (why.code) {
    case 'no_worker':
      return {
        id: 'waiting',
        glyph: 'failed',
        title: 'No device',
        text: 'No device is here that could work.',
        link: { text: 'Connect a device', href: '/connect' },
      };
    case 'no_eligible_worker':
      return nobody(why, sources);
    case 'retry_delay':
      return {
        id: 'waiting',
        glyph: 'waiting',
        title: 'Pause before a retry',
        text: why.reason,
      };
    case 'queued_behind':
      return {
        id: 'waiting',
        glyph: 'pending',
        title: 'Others come first',
        text: `${counted(why.tasks_ahead ?? 0, 'task')} ${why.tasks_ahead === 1 ? 'is' : 'are'} before its next one in the queue.`,
        link: { text: 'See the jobs', href: '/jobs?status=open' },
      };
    case 'refused':
      return { id: 'waiting', glyph: 'attention', title: 'Refused', text: why.reason };
    case 'held':
    case 'workers_busy':
    case 'next':
      return null;
  }
}

/** Where there is who could take it, that is the first cure. */
function nobody(why: TaskWaiting, { head, workers, address }: HoldUpSources): HoldUp {
  const able = heldBack(workers ?? [], head.options?.requirements);
  const told =
    able.length === 0
      ? `None of ${counted(why.worker_count, 'device')} could take it: ${reasonsOf(decisive(why))}.`
      : `${listedFirst(able.map(whyHeldBack))}, and no other could take it. ${cureOf(able)}.`;
  return {
    id: 'waiting',
    glyph: 'failed',
    title: `No device may run it${able.length === 0 ? '' : ' now'}`,
    text: told + asked(head),
    link: lookAt(able, head),
    ...commandFor(head, address),
  };
}

function lookAt(
  those: readonly { readonly id: string }[],
  head: JobHead,
): NonNullable<HoldUp['link']> {
  return those.length === 1
    ? { text: 'Look at it', href: `/workers/${encodeURIComponent(those[0]!.id)}` }
    : { text: 'See the workers', href: workersFor(head) };
}

/** What it requires, and what can be done about it. */
function asked({ options }: JobHead): string {
  const what = requirementsInWords(options?.requirements);
  if (what === null) return '';
  const labels = options?.requirements?.labels ?? {};
  if (Object.keys(labels).length === 0) {
    return ` It requires ${what}: connect a device that has it, or submit it again without.`;
  }
  return ` It requires ${what}: start a worker with that (stop one that runs, and start it again so), or submit it again without.`;
}

/** `muster worker http://lab:8000 --label gpu=yes`; nothing where it asks for no labels. */
function commandFor({ options }: JobHead, address: string): Pick<HoldUp, 'command'> {
  const labels = Object.entries(options?.requirements?.labels ?? {});
  // A comma would begin another label.
  const isPlain = labels.every(([name, value]) => !`${name}${value}`.includes(','));
  if (labels.length === 0 || !isPlain) return {};
  const flags = labels.map(([name, value]) => `--label ${quoted(`${name}=${value}`)}`);
  return { command: ['muster worker', address, ...flags].join(' ') };
}

/** As a shell takes it for one word. */
function quoted(text: string): string {
  return /^[\w=.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Some devices could take it, and others may not: what looks like want of slots is want of such devices. */
function requirement(sources: HoldUpSources): HoldUp | null {
  const { explanation, head } = sources;
  if (explanation?.waiting?.code === 'no_eligible_worker' || head.counts.pending === 0) return null;
  const { fitting, short } = byLabels(sources) ?? byExplanation(sources);
  if (short === 0) return null;
  const count = fitting.length;
  const those = count === 0 ? '' : `Only ${listedFirst(fitting.map(({ name }) => name))}: `;
  return {
    id: 'requirement',
    // As long as several take it, it goes on.
    glyph: count === 0 ? 'failed' : count === 1 ? 'attention' : 'pending',
    title: `${count === 0 ? 'No device' : capitalized(inWords(count, 'device'))} may run it`,
    text: `${those}${counted(short, 'device falls', 'devices fall')} short of what it requires.${asked(head)}`,
    link: lookAt(fitting, head),
    ...commandFor(head, sources.address),
  };
}

interface Fitting {
  readonly fitting: readonly { readonly id: string; readonly name: string }[];
  readonly short: number;
}

/** Null: it asks for no labels, or the workers are not known. */
function byLabels({ head, workers }: HoldUpSources): Fitting | null {
  const requirements = head.options?.requirements;
  if (Object.keys(requirements?.labels ?? {}).length === 0 || workers === null) return null;
  const here = workers.filter(isHere);
  const fitting = here
    .filter((worker) => takesTasks(worker) && meets(worker, requirements))
    .map(({ id, name }) => ({ id, name: name ?? id }));
  return { fitting, short: here.filter((worker) => !meets(worker, requirements)).length };
}

/** Of the next waiting task. */
function byExplanation({ explanation }: HoldUpSources): Fitting {
  const { reasons = [], workers = [] } = explanation?.waiting ?? {};
  return {
    fitting: workers
      .filter((worker) => !worker.reasons.some(({ code }) => barring.has(code)))
      .map(({ worker_id: id, name }) => ({ id, name: name ?? id })),
    short: reasons.find(({ code }) => code === 'requirement')?.workers ?? 0,
  };
}

/** What does not pass by itself as tasks end. */
const barring: ReadonlySet<HindranceCode> = new Set([
  'requirement',
  'kind',
  'offline',
  'waiting',
  'quarantined',
  'draining',
  'leaving',
  'resting',
]);

/** Without what changes by itself as tasks end. */
function fixed(reasons: TaskWaiting['reasons']): TaskWaiting['reasons'] {
  return reasons.filter(({ code }) => code !== 'no_free_slot');
}

/** When all fall short of what it requires, nothing else matters. */
function decisive(why: TaskWaiting): TaskWaiting['reasons'] {
  const { reasons, worker_count: count } = why;
  const requires = reasons.filter(
    ({ code, workers }) => code === 'requirement' && workers === count,
  );
  return requires.length > 0 ? requires : eachOnce(why);
}

/** Each worker for one reason, that of most: one that lacks something and rests as well would be counted twice. */
function eachOnce({ reasons, workers, worker_count: count }: TaskWaiting): TaskWaiting['reasons'] {
  const all = fixed(reasons);
  if (workers.length < count) {
    let left = count;
    return all.filter(({ workers: those }) => (left -= those) >= 0);
  }
  const codes = workers.map(
    (worker) => all.find(({ code }) => worker.reasons.some((each) => each.code === code))?.code,
  );
  return all
    .map((reason) => ({
      ...reason,
      workers: codes.filter((code) => code === reason.code).length,
    }))
    .filter(({ workers: those }) => those > 0);
}

/** Those that have its labels. */
function workersFor({ options }: JobHead): string {
  return pageOfLabels(options?.requirements?.labels);
}

function reasonsOf(reasons: TaskWaiting['reasons']): string {
  return listed(
    reasons
      .slice(0, mostNamed)
      .map(({ code, text, workers }) =>
        code === 'requirement'
          ? `${grouped(workers)} ${workers === 1 ? 'lacks' : 'lack'} what it requires`
          : `${grouped(workers)} ${text}`,
      ),
  );
}

function slots(sources: HoldUpSources): HoldUp | null {
  const { head, workers, attempts, explanation } = sources;
  if (workers === null) return null;
  const here = workers.filter(takesTasks);
  const total = here.reduce((sum, worker) => sum + worker.slots, 0);
  if (total === 0) return null;
  const taken = here.reduce((sum, worker) => sum + Math.min(worker.slots, worker.active_tasks), 0);
  const own = Math.min(
    taken,
    attempts === null ? head.counts.running + head.counts.assigned : liveOf(attempts),
  );
  const others = taken - own;
  const free = total - taken;
  const shares = [
    ...(own > 0 ? [`${grouped(own)} by this job`] : []),
    ...(others > 0 ? [`${grouped(others)} by others`] : []),
  ];
  if (free === 0) {
    return {
      id: 'slots',
      glyph: 'busy',
      title: 'Slots',
      text: `All ${counted(total, 'slot')} are taken: ${listed(shares)}.`,
      link: { text: 'See the workers', href: workersFor(head) },
    };
  }
  const { code = null, reasons: all = [] } = explanation?.waiting ?? {};
  // What it requires is told already, and that decides.
  if (requirement(sources) !== null) return null;
  const reasons = fixed(all);
  if (head.counts.pending === 0 || reasons.length === 0 || head.held_since !== null) return null;
  // What holds for all of them is told already.
  if (code === 'no_eligible_worker') return null;
  const taking = shares.length === 0 ? '' : ` (taken: ${listed(shares)})`;
  return {
    id: 'slots',
    glyph: 'busy',
    title: 'Slots',
    text: `${grouped(free)} of ${counted(total, 'slot')} ${free === 1 ? 'is' : 'are'} free${taking}. Not free for it: ${reasonsOf(reasons)}.`,
    link: { text: 'See the workers', href: workersFor(head) },
  };
}

function liveOf(attempts: readonly Attempt[]): number {
  return attempts.filter(({ ended_at }) => ended_at === null).length;
}

/** Those that could run it, if they were not out. */
function devicesOut({ head, workers, explanation }: HoldUpSources): HoldUp | null {
  // Then they are told as its cause.
  if (explanation?.waiting?.code === 'no_eligible_worker') return null;
  const out = heldBack(workers ?? [], head.options?.requirements);
  if (out.length === 0) return null;
  const idle = out.reduce((sum, worker) => sum + worker.slots, 0);
  return {
    id: 'devices',
    glyph: out.some(({ status }) => status === 'quarantined') ? 'quarantined' : 'draining',
    title: `${capitalized(inWords(out.length, 'device'))} out`,
    text: `${listedFirst(out.map(whyHeldBack))}: ${counted(idle, 'slot')} give nothing.`,
    link: { text: 'Look', href: workersFor(head) },
  };
}

function stragglers({ attempts, knownMs, head, nameOfWorker }: HoldUpSources): HoldUp | null {
  const slow = stragglersOf(attempts ?? [], knownMs);
  const [worst] = slow.toSorted((a, b) => (a.started_at! < b.started_at! ? -1 : 1));
  if (worst === undefined) return null;
  const runs = (knownMs - Date.parse(worst.started_at!)) / 1000;
  return {
    id: 'stragglers',
    glyph: 'running',
    title: 'Stragglers',
    text: `${counted(slow.length, 'task')} ${slow.length === 1 ? 'runs' : 'run'} for more than ${stragglerFactor} times what is usual there. The longest, ${grouped(worst.index)} on ${nameOfWorker(worst.worker_id)}, for ${duration(runs)}.`,
    link: { text: `Look at ${grouped(worst.index)}`, href: pathOfTask(head.id, worst.index) },
  };
}

function repeats({ attempts }: HoldUpSources): HoldUp | null {
  const { attempts: lost, share } = repeatsOf(attempts ?? []);
  if (lost === 0 || share < repeatsFrom) return null;
  return {
    id: 'repeats',
    glyph: 'failed',
    title: 'Repeats',
    text: `${counted(lost, 'attempt')} ${lost === 1 ? 'was' : 'were'} for nothing: ${percent(share)} of the work of late.`,
    link: { text: 'See the errors', href: '#errors' },
  };
}

export function pathOfTask(jobId: string, index: number): string {
  return `/jobs/${encodeURIComponent(jobId)}/tasks/${index}`;
}
