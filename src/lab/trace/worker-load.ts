// What the processor of a worker was busy with while a trace was recorded, and how much longer it made its tasks. The model
// is that of the lab (`lab/world/processor.ts`), backwards: each running task asks for its share of a core, other programs
// for their share of all; when there are fewer cores, all get as much less. So run times that were long because the device
// was busy do not make its tasks large. A task that had less of a core than its part waited for something else (the
// network, a clock), and nothing took that time from it.

import type { LoadSpan } from '../scenario/plan.ts';
import { occupationsOf, runOf } from './occupations.ts';
import { median } from './speeds.ts';
import { Steps } from './steps.ts';
import type { TracedWorker } from './trace.ts';
import type { RecordOf } from './trace-format.ts';

type Attempt = RecordOf<'attempt'>;

export interface WorkerLoad {
  readonly cores: number;
  /** Of other programs, from the beginning of the trace on. */
  readonly others: readonly LoadSpan[];
  /** Seconds that the attempt would have run with the processor to itself. */
  ownSeconds(attempt: Attempt): number;
  /** The same of the time for which it kept its slot. */
  slotSeconds(attempt: Attempt): number;
  /** Of a core, in that time, more than 0 to 1; null: its worker does not say. */
  cpuShare(attempt: Attempt): number | null;
}

/** Shorter run times cannot be told from none. */
const leastSeconds = 1e-4;
/** Smaller ones are neither measured nor felt. */
const leastCpuShare = 0.01;

/** `roundTripMs`: between the worker and the coordinator. */
export function loadOf(worker: TracedWorker, roundTripMs = 0): WorkerLoad {
  const { described } = worker;
  const cores = described?.cores ?? described?.slots ?? 1;
  const occupied = occupationsOf(worker, roundTripMs);
  const fromOf = (attempt: Attempt) => occupied.get(attempt) ?? runOf(attempt).from;
  // How much tasks ask for follows from how much they were slowed, and the other way round: at first each is taken for
  // one that only computes, then for what it was by that.
  const first = slowingOf(worker, { cores, fromOf, askedBy: () => 1 });
  const shareIn = (attempt: Attempt, seconds: number, { ownSeconds }: Slowing) => {
    const computed = computedSeconds(attempt);
    if (computed === null) return null;
    const share = computed / Math.max(seconds, ownSeconds(attempt));
    // In percent: few are told apart.
    return Math.min(1, Math.max(leastCpuShare, Math.round(100 * share) / 100));
  };
  const { others, share, ownSeconds } = slowingOf(worker, {
    cores,
    fromOf,
    askedBy: (attempt) => shareIn(attempt, 0, first) ?? 1,
  });
  const slotSeconds = (attempt: Attempt) => {
    const { from } = runOf(attempt);
    const before = from > fromOf(attempt) ? share.integral(fromOf(attempt), from) / 1000 : 0;
    return before + ownSeconds(attempt);
  };
  return {
    cores,
    others,
    ownSeconds,
    slotSeconds,
    cpuShare: (attempt) => shareIn(attempt, slotSeconds(attempt), { others, share, ownSeconds }),
  };
}

interface Slowing {
  readonly others: readonly LoadSpan[];
  /** How much of what it asked for who computed has had. */
  readonly share: Steps;
  readonly ownSeconds: (attempt: Attempt) => number;
}

interface Asking {
  readonly cores: number;
  readonly fromOf: (attempt: Attempt) => number;
  /** Of a core. */
  readonly askedBy: (attempt: Attempt) => number;
}

function slowingOf(worker: TracedWorker, { cores, fromOf, askedBy }: Asking): Slowing {
  const asking = Steps.sumOf(
    worker.attempts.map((attempt) => ({
      from: fromOf(attempt),
      to: attempt.ended_ms,
      height: askedBy(attempt),
    })),
  );
  const others = othersOf(worker, asking, cores);
  const share = Steps.of(asking, stepsOf(others), (tasks, percent) => {
    // Sums of shares may end a hair below 0.
    const asked = (percent / 100) * cores + Math.max(0, tasks);
    return Math.min(1, cores / asked);
  });
  const ownSeconds = (attempt: Attempt) => {
    const { from, to } = runOf(attempt);
    const had = share.integral(from, to) / 1000;
    const computed = computedSeconds(attempt);
    if (computed === null) return Math.max(leastSeconds, had);
    // What it computed took 1 / share as long as alone: the run without that, but no less than it computed.
    const ran = (to - from) / 1000;
    const lost = had > 0 ? computed * (ran / had - 1) : 0;
    return Math.max(leastSeconds, computed, ran - lost);
  };
  return { others, share, ownSeconds };
}

/** Of one core; null: its worker does not say. */
function computedSeconds({ cpu_seconds: seconds, run_ms: ms }: Attempt): number | null {
  return seconds === null ? null : Math.min(seconds, ms / 1000);
}

/** Of a processor that has no rest, in percent. */
const saturated = 99;

/** What other programs have asked for in the time of each sample. After the last it is the median of all. */
function othersOf(worker: TracedWorker, asking: Steps, cores: number): readonly LoadSpan[] {
  const used = Steps.sumOf(
    worker.attempts.map((attempt) => ({ ...runOf(attempt), height: coresUsed(attempt) })),
  );
  const spans: { percent: number; forMs: number }[] = [];
  const percents: number[] = [];
  let at = 0;
  for (const { from, to, load } of measuredLoads(worker)) {
    const ofAll = to > from ? 100 / ((to - from) * cores) : 0;
    const [own, asked] = [used.integral(from, to) * ofAll, asking.integral(from, to) * ofAll];
    const percent = Math.round(Math.min(100, othersPercent(load, own, asked)));
    percents.push(percent);
    if (to <= at) continue;
    const last = spans.at(-1);
    if (last?.percent === percent) last.forMs += to - at;
    else spans.push({ percent, forMs: to - at });
    at = to;
  }
  const usual = percents.length === 0 ? 0 : Math.round(median(percents));
  return [...spans, { percent: usual, forMs: Infinity }];
}

/** Mean loads, each with the time in which it was measured: since the sample before, or since it came. */
function* measuredLoads({ moves, samples }: TracedWorker) {
  const joins = moves.flatMap(({ type, at_ms }) => (type === 'worker_joined' ? [at_ms] : []));
  let join = 0;
  for (const [i, { at_ms: to, cpu_load_percent: load }] of samples.entries()) {
    while (join < joins.length && joins[join]! < to) join++;
    // What it said first is of its own start: it is better than nothing.
    if (load === null || (i === 0 && samples.length > 1)) continue;
    const came = joins[join - 1] ?? -Infinity;
    const from = Math.max(samples[i - 1]?.at_ms ?? came, came);
    yield { from: Number.isFinite(from) ? from : to, to, load };
  }
}

/**
 * `load` is of the whole processor; its own tasks have `used` so much of it, and `asked` for so much. While there is
 * some left, others have what they ask for. When there is none, what is used is divided as what is asked for is.
 */
function othersPercent(load: number, used: number, asked: number): number {
  const others = Math.max(0, load - used);
  return load < saturated || used === 0 ? others : (others * asked) / used;
}

/** Cores that the attempt has used on average; one when its worker does not say. */
function coresUsed({ cpu_seconds: seconds, run_ms: ms }: Attempt): number {
  return seconds === null || ms === 0 ? 1 : Math.min(1, (seconds * 1000) / ms);
}

function stepsOf(spans: readonly LoadSpan[]): Steps {
  let at = 0;
  const times = spans.map(({ forMs }) => {
    const from = at;
    at += forMs;
    return from;
  });
  return new Steps(
    times,
    spans.map(({ percent }) => percent),
  );
}
