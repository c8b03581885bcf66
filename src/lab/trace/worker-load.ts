// What the processor of a worker was busy with while a trace was recorded, and how much of their time tasks had it to
// themselves. The model is that of the lab (`lab/world/processor.ts`), backwards: each running task asks for one
// core, other programs for their share of all; when there are fewer cores, all get as much slower. So run times that
// were long because the device was busy do not make its tasks large.

import type { LoadSpan } from '../scenario/plan.ts';
import { occupationsOf, runOf } from './occupations.ts';
import { median } from './speeds.ts';
import { Steps } from './steps.ts';
import type { TracedWorker } from './trace.ts';
import type { RecordOf } from './trace-format.ts';

export interface WorkerLoad {
  readonly cores: number;
  /** Of other programs, from the beginning of the trace on. */
  readonly others: readonly LoadSpan[];
  /** Seconds that the attempt would have run with the processor to itself. */
  ownSeconds(attempt: RecordOf<'attempt'>): number;
  /** The same of the time for which it kept its slot. */
  slotSeconds(attempt: RecordOf<'attempt'>): number;
}

/** Shorter run times cannot be told from none. */
const leastSeconds = 1e-4;

/** `roundTripMs`: between the worker and the coordinator. */
export function loadOf(worker: TracedWorker, roundTripMs = 0): WorkerLoad {
  const { described, attempts } = worker;
  const cores = described?.cores ?? described?.slots ?? 1;
  const occupied = occupationsOf(worker, roundTripMs);
  const fromOf = (attempt: RecordOf<'attempt'>) => occupied.get(attempt) ?? runOf(attempt).from;
  const running = Steps.sumOf(
    attempts.map((attempt) => ({ from: fromOf(attempt), to: attempt.ended_ms, height: 1 })),
  );
  const others = othersOf(worker, running, cores);
  const share = Steps.of(running, stepsOf(others), (tasks, percent) => {
    const asked = (percent / 100) * cores + Math.max(1, tasks);
    return Math.min(1, cores / asked);
  });
  const shareOf = (from: number, to: number) =>
    Math.max(leastSeconds, share.integral(from, to) / 1000);
  return {
    cores,
    others,
    ownSeconds: (attempt) => shareOf(runOf(attempt).from, attempt.ended_ms),
    slotSeconds: (attempt) => shareOf(fromOf(attempt), attempt.ended_ms),
  };
}

/** Of a processor that has no rest, in percent. */
const saturated = 99;

/** What other programs have asked for in the time of each sample. After the last it is the median of all. */
function othersOf(worker: TracedWorker, running: Steps, cores: number): readonly LoadSpan[] {
  const used = Steps.sumOf(
    worker.attempts.map((attempt) => ({ ...runOf(attempt), height: coresUsed(attempt) })),
  );
  const spans: { percent: number; forMs: number }[] = [];
  const percents: number[] = [];
  let at = 0;
  for (const { from, to, load } of measuredLoads(worker)) {
    const ofAll = to > from ? 100 / ((to - from) * cores) : 0;
    const [own, asked] = [used.integral(from, to) * ofAll, running.integral(from, to) * ofAll];
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
function coresUsed({ cpu_seconds: seconds, run_ms: ms }: RecordOf<'attempt'>): number {
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
