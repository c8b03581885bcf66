// What is evaluated: a period up to now, the time since a moment, or a job. Two of them can be compared.

import { type Period, periods } from '../../parts/periods.ts';
import { moment } from '../../text/times.ts';

export type Subject =
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'since'; readonly at: string }
  | { readonly kind: 'job'; readonly id: string };

export const usualSubject: Subject = { kind: 'period', period: periods[0]! };

/** As the address has it; null: it names none. */
export function subjectOf(text: string | null): Subject | null {
  if (text === null) return null;
  const period = periods.find(({ value }) => value === text);
  if (period !== undefined) return { kind: 'period', period };
  const [, kind, rest] = /^(since|job)-(.+)$/.exec(text) ?? [];
  if (kind === 'job') return { kind, id: rest! };
  if (kind !== 'since' || Number.isNaN(Date.parse(rest!))) return null;
  return { kind, at: new Date(rest!).toISOString() };
}

export function textOf(subject: Subject): string {
  switch (subject.kind) {
    case 'period':
      return subject.period.value;
    case 'since':
      return `since-${subject.at}`;
    case 'job':
      return `job-${subject.id}`;
  }
}

/** For the endpoints that evaluate. */
export function queryOf(
  subject: Subject,
  nowMs: number,
): { readonly since?: string; readonly job_id?: string } {
  if (subject.kind === 'job') return { job_id: subject.id };
  return { since: new Date(beginOf(subject, nowMs)).toISOString() };
}

export function beginOf(subject: Exclude<Subject, { kind: 'job' }>, nowMs: number): number {
  return subject.kind === 'period' ? nowMs - subject.period.ms : Date.parse(subject.at);
}

/** Behind `in`. */
export function nameOfSubject(
  subject: Subject,
  { nameOfJob, nowMs }: { readonly nameOfJob: (id: string) => string; readonly nowMs: number },
): string {
  switch (subject.kind) {
    case 'period':
      return `the ${subject.period.told}`;
    case 'since':
      return `the time since ${moment(subject.at, nowMs)}`;
    case 'job':
      return nameOfJob(subject.id);
  }
}

const bucketLengths = [10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
const mostBuckets = 360;

/** Long enough that the picture has no more than a bucket for every second or third pixel. */
export function bucketSeconds(lengthMs: number): number {
  const least = lengthMs / 1000 / mostBuckets;
  return bucketLengths.find((length) => length >= least) ?? bucketLengths.at(-1)!;
}
