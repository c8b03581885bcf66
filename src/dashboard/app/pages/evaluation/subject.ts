// What is evaluated: a period up to now, the time since a moment or between two, or a job. Two can be compared.

import { type Period, periods, timeFrom } from '../../parts/periods.ts';
import { moment } from '../../text/times.ts';

export type Subject =
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'since'; readonly at: string }
  | { readonly kind: 'between'; readonly at: string; readonly until: string }
  | { readonly kind: 'job'; readonly id: string };

export const usualSubject: Subject = { kind: 'period', period: periods[0]! };

/** As the address has it; null: it names none. */
export function subjectOf(text: string | null): Subject | null {
  if (text === null) return null;
  const period = periods.find(({ value }) => value === text);
  if (period !== undefined) return { kind: 'period', period };
  const [, kind, rest = ''] = /^(since|between|job)-(.+)$/.exec(text) ?? [];
  if (kind === 'job') return { kind, id: rest };
  const [at, until] = rest.split('_').map(momentOf);
  if (kind === 'since') return typeof at === 'string' ? { kind, at } : null;
  if (kind !== 'between' || typeof at !== 'string' || typeof until !== 'string') return null;
  return at < until ? { kind, at, until } : null;
}

function momentOf(text: string): string | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

export function textOf(subject: Subject): string {
  switch (subject.kind) {
    case 'period':
      return subject.period.value;
    case 'since':
      return timeFrom(subject.at, null);
    case 'between':
      return timeFrom(subject.at, subject.until);
    case 'job':
      return `job-${subject.id}`;
  }
}

/** For the endpoints that evaluate. */
export function queryOf(
  subject: Subject,
  nowMs: number,
  /** Of a time: what this job did in it. */
  job: string | null = null,
): { readonly since?: string; readonly until?: string; readonly job_id?: string } {
  if (subject.kind === 'job') return { job_id: subject.id };
  const { from, until } = countedOf(subject, nowMs);
  return {
    since: new Date(from).toISOString(),
    ...(until === Infinity ? {} : { until: new Date(until).toISOString() }),
    ...(job === null ? {} : { job_id: job }),
  };
}

/** Work is counted in steps of this length: a step at a border is of the time that begins in it. */
const stepMs = 10_000;
const stepOf = (ms: number): number => Math.floor(ms / stepMs) * stepMs;

/** What of a time is counted, whoever counts: so that no step is in two times. */
export function countedOf(subject: Exclude<Subject, { kind: 'job' }>, nowMs: number) {
  const from = stepOf(beginOf(subject, nowMs));
  if (subject.kind !== 'between') return { from, until: Infinity };
  return { from, until: Math.max(stepOf(Date.parse(subject.until)), from + stepMs) };
}

export function beginOf(subject: Exclude<Subject, { kind: 'job' }>, nowMs: number): number {
  return subject.kind === 'period' ? nowMs - subject.period.ms : Date.parse(subject.at);
}

export function endOf(subject: Exclude<Subject, { kind: 'job' }>, nowMs: number): number {
  return subject.kind === 'between' ? Date.parse(subject.until) : nowMs;
}

interface Naming {
  readonly nameOfJob: (id: string) => string;
  readonly nowMs: number;
  /** What was in force, newest first: a time that begins with one is called by it. */
  readonly changes?: readonly { readonly at: string; readonly algorithm: string }[];
}

/** Behind `in`. */
export function nameOfSubject(subject: Subject, { nameOfJob, nowMs, changes }: Naming): string {
  const { at } = { at: '', ...subject };
  const change = changes?.find((each) => each.at === at);
  const time = change === undefined ? 'the time' : `the time of ${change.algorithm}`;
  switch (subject.kind) {
    case 'period':
      return `the ${subject.period.told}`;
    case 'since':
      return `${time} since ${moment(subject.at, nowMs)}`;
    case 'between':
      return `${time} from ${moment(subject.at, nowMs)} to ${moment(subject.until, nowMs)}`;
    case 'job':
      return nameOfJob(subject.id);
  }
}

const bucketLengths = [10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
const mostBuckets = 360;
const shortMs = 120_000;

/** Long enough that the picture has no more than a bucket for every second or third pixel. */
export function bucketSeconds(lengthMs: number): number {
  const least = lengthMs / 1000 / mostBuckets;
  // In two minutes there is little to see in steps of ten seconds.
  if (lengthMs < shortMs) return 1;
  return bucketLengths.find((length) => length >= least) ?? bucketLengths.at(-1)!;
}
