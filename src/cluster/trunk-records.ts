// What is said on a trunk behind the greetings: frames of records, each a JSON array that begins with what it is. What
// comes from a member is checked as anything from outside is; a frame that is none ends the trunk. Messages of workers are
// read by whoever takes them, since they hold payloads: here is only how they are written.

import type { BareAssignMessage } from '../protocol/bare-assign.ts';
import { encodeFrame } from '../protocol/codec.ts';
import type { CoordinatorMessage, WorkerMessage } from '../protocol/messages.ts';

/** To the leader. Numbers are those of connections of workers at the member that says it. */
export type ToLeader =
  /** A connection has come: with which token, from which address. */
  | readonly ['open', number, string | null, string | null]
  | readonly ['gone', number]
  /** Messages of one frame, which had so many bytes. */
  | readonly ['in', number, number, unknown]
  /** An attempt (id of the task, token) was not sent: why. */
  | readonly ['unreadable', number, string, string, string]
  /** The state of a checkpoint (id of the task, of the checkpoint) cannot be read. */
  | readonly ['damaged', string, number];

type SentMessages = readonly (CoordinatorMessage | BareAssignMessage)[];

/** From the leader. */
export type FromLeader =
  | readonly ['out', number, SentMessages]
  /** The connection is to be closed: why, by which code (0: the usual one). */
  | readonly ['end', number, string, number];

export function inRecord(n: number, messages: readonly WorkerMessage[], bytes: number): string {
  return `["in",${n},${bytes},${encodeFrame(messages)}]`;
}

/** `frame` as `encodeFrame` makes it. */
export function outRecord(n: number, frame: string): string {
  return `["out",${n},${frame}]`;
}

export function recordOf(record: ToLeader | FromLeader): string {
  return JSON.stringify(record);
}

/** Records of a frame whose text was parsed; null when it is none of a member that follows. */
export function readToLeader(value: unknown): readonly ToLeader[] | null {
  return isRecords(value) && value.every(isToLeader) ? (value as unknown as ToLeader[]) : null;
}

/** Null for what is no frame of a leader. */
export function readFromLeader(text: string): readonly FromLeader[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecords(value)) return null;
  const records: FromLeader[] = [];
  for (const record of value) {
    const [kind, n, third, code] = record;
    if (!isNumber(n)) return null;
    if (kind === 'end' && typeof third === 'string' && isNumber(code)) {
      records.push(['end', n, third, code]);
    } else if (kind === 'out') {
      const messages = Array.isArray(third) ? (third as unknown[]) : [third];
      if (!messages.every(isMessage)) return null;
      records.push(['out', n, messages as unknown as SentMessages]);
    } else {
      return null;
    }
  }
  return records;
}

function isToLeader([kind, n, ...rest]: readonly unknown[]): boolean {
  switch (kind) {
    case 'open':
      return isNumber(n) && rest.length === 2 && rest.every(isTextOrNull);
    case 'gone':
      return isNumber(n);
    case 'in':
      return isNumber(n) && isNumber(rest[0]) && typeof rest[1] === 'object' && rest[1] !== null;
    case 'unreadable':
      return isNumber(n) && rest.length === 3 && rest.every((each) => typeof each === 'string');
    case 'damaged':
      return typeof n === 'string' && isNumber(rest[0]);
    default:
      return false;
  }
}

function isRecords(value: unknown): value is (readonly unknown[])[] {
  return Array.isArray(value) && value.every((each) => Array.isArray(each));
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

const known: ReadonlySet<unknown> = new Set<SentMessages[number]['type']>([
  'welcome',
  'bare_assign',
  'ack',
  'reject',
  'cancel',
  'revoke',
  'recall',
  'drain',
  'approved',
  'ping',
  'deregistered',
  'error',
]);

/** As far as it is looked at on its way to the worker. */
function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const message = value as { readonly [name: string]: unknown };
  switch (message['type']) {
    case 'welcome':
      return typeof message['worker_id'] === 'string';
    case 'ack':
      return isList(message['accepted'], isObject);
    case 'reject':
      return isList(message['rejected'], isObject);
    case 'bare_assign':
      return isBareAssign(message as unknown as BareAssignMessage);
    default:
      return known.has(message['type']);
  }
}

function isBareAssign({ sequence, jobs, assignments }: BareAssignMessage): boolean {
  if (!isNumber(sequence) || !isObject(jobs)) return false;
  const isDescribed = Object.values(jobs).every(
    (job: unknown) =>
      isObject(job) &&
      isNumber(job['key']) &&
      (job['range_start'] === null || Number.isSafeInteger(job['range_start'])) &&
      typeof job['kind'] === 'string' &&
      isObject(job['about']),
  );
  return isDescribed && isList(assignments, (each) => isBareAssignment(each, jobs));
}

function isBareAssignment(value: unknown, jobs: BareAssignMessage['jobs']): boolean {
  if (!isObject(value)) return false;
  const { task_id, job_id, index, token, states = [] } = value;
  const isKnown = typeof job_id === 'string' && Object.hasOwn(jobs, job_id);
  const isNamed = typeof task_id === 'string' && typeof token === 'string' && isNumber(index);
  return isKnown && isNamed && isList(states, isState);
}

function isState(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, sequence, progress, size_bytes: size, sha256 } = value;
  const isSized = isNumber(id) && isNumber(sequence) && isNumber(size);
  return isSized && typeof progress === 'number' && typeof sha256 === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown, is: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}
