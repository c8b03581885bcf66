// Checks that a message from the socket has the shape that the machine relies on. A message that
// has not is skipped: a coordinator of another version must not be able to crash a worker.

import type { CoordinatorMessage } from '../../protocol/messages.ts';
import { ownerCharactersMax } from '../../protocol/owner.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The messages of a decoded frame that can be taken, and a sentence for each that cannot. */
export function checkMessages(values: readonly unknown[]): {
  readonly messages: readonly CoordinatorMessage[];
  readonly complaints: readonly string[];
} {
  const messages: CoordinatorMessage[] = [];
  const complaints: string[] = [];
  for (const value of values) {
    const type = isObject(value) ? value['type'] : undefined;
    const check = typeof type === 'string' ? checks.get(type) : undefined;
    if (check === undefined) complaints.push(`Unknown message type ${JSON.stringify(type)}.`);
    else if (!check(value as Fields)) complaints.push(`A malformed "${String(type)}" message.`);
    else messages.push(value as CoordinatorMessage);
  }
  return { messages, complaints };
}

const checks = new Map<string, (m: Fields) => boolean>([
  [
    'welcome',
    (m) =>
      isNumber(m['protocol']) &&
      isText(m['worker_id']) &&
      isOptional(m['worker_token'], isText) &&
      isPositive(m['heartbeat_interval_seconds']) &&
      isPositive(m['lease_seconds']) &&
      typeof m['drain'] === 'boolean' &&
      isListOf(m['stop'], isOrder),
  ],
  [
    'assign',
    (m) =>
      isNumber(m['sequence']) &&
      isObject(m['programs']) &&
      Object.values(m['programs']).every(isProgram) &&
      isListOf(m['assignments'], isAssignment),
  ],
  [
    'ack',
    (m) => isListOf(m['accepted'], isReport) && isOptional(m['heartbeat'], isHeartbeatAnswer),
  ],
  ['reject', (m) => isListOf(m['rejected'], isRejection)],
  ['cancel', (m) => isListOf(m['attempts'], isOrder)],
  ['revoke', (m) => isListOf(m['attempts'], isOrder)],
  ['recall', (m) => isListOf(m['attempts'], isRef)],
  ['drain', (m) => typeof m['drain'] === 'boolean'],
  ['ping', () => true],
  ['deregistered', (m) => isText(m['detail']) && isOptional(m['register_after_seconds'], isNumber)],
  ['error', (m) => isText(m['code']) && isText(m['detail']) && typeof m['fatal'] === 'boolean'],
]);

function isRef(value: unknown): value is Fields {
  return isObject(value) && isText(value['task_id']) && isNumber(value['attempt']);
}

function isOrder(value: unknown): boolean {
  return isRef(value) && isText(value['reason']);
}

function isReport(value: unknown): value is Fields {
  return isRef(value) && isText(value['kind']);
}

function isRejection(value: unknown): boolean {
  return isReport(value) && isText(value['code']) && isText(value['detail']);
}

function isAssignment(value: unknown): boolean {
  if (!isRef(value) || !isText(value['token']) || !isText(value['job_id'])) return false;
  if (!isNumber(value['index']) || !('input' in value)) return false;
  if (!isOptional(value['owner'], isOwner)) return false;
  return isOptional(value['checkpoint'], (from) => isObject(from) && 'state' in from);
}

function isOwner(value: unknown): boolean {
  return isText(value) && value.length > 0 && value.length <= ownerCharactersMax;
}

function isProgram(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['program'])) return false;
  const { attempt_timeout_seconds: timeout, checkpoint_interval_seconds: interval } = value;
  const areTimes = isNullOr(timeout, isPositive) && isNullOr(interval, isPositive);
  const { kind, sha256, source } = value['program'];
  const isNamed = isText(sha256) ? isOptional(source, isText) : isText(source);
  if (!isOptional(value['memory_mb'], isPositive)) return false;
  return areTimes && isText(kind) && isOptional(sha256, isText) && isNamed;
}

function isHeartbeatAnswer(value: unknown): boolean {
  return (
    isObject(value) &&
    isNumber(value['heartbeat_id']) &&
    isListOf(value['stop'], isOrder) &&
    isPositive(value['heartbeat_interval_seconds']) &&
    typeof value['drain'] === 'boolean' &&
    isListOf(value['warnings'], isText)
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isPositive(value: unknown): boolean {
  return isNumber(value) && value > 0;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isOptional(value: unknown, isIt: (value: unknown) => boolean): boolean {
  return value === undefined || isIt(value);
}

function isNullOr(value: unknown, isIt: (value: unknown) => boolean): boolean {
  return value === null || isIt(value);
}
