// Checks that a message from the socket has the shape that the machine relies on. A message that
// has not is skipped: a coordinator of another version must not be able to crash a worker, nor one that
// somebody has taken over.

import type { CoordinatorMessage } from '../../protocol/messages.ts';
import { ownerCharactersMax } from '../../protocol/owner.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A worker that speaks more often does nothing else. */
const shortestIntervalSeconds = 0.01;
/** Timers of Node that are asked for more than 24.8 days fire at once. */
const longestPauseSeconds = 10 * 86_400;
const longestQuoted = 80;

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
    if (check === undefined) complaints.push(`Unknown message type${quoted(type)}.`);
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
      isOptional(m['worker_token'], isToken) &&
      isInterval(m['heartbeat_interval_seconds']) &&
      isInterval(m['lease_seconds']) &&
      typeof m['drain'] === 'boolean' &&
      isOptional(m['coordinators'], (told) => isListOf(told, isText)) &&
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
  ['approved', () => true],
  ['greet', (m) => isNumber(m['id']) && Number.isSafeInteger(m['id']) && m['id'] >= 0],
  ['ping', () => true],
  ['deregistered', (m) => isText(m['detail']) && isOptional(m['register_after_seconds'], isPause)],
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
  if (!isOptional(value['priority'], isNumber)) return false;
  return isOptional(value['checkpoint'], (from) => isObject(from) && 'state' in from);
}

function isOwner(value: unknown): boolean {
  return isText(value) && value.length > 0 && value.length <= ownerCharactersMax;
}

function isProgram(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['program'])) return false;
  const { attempt_timeout_seconds: timeout, checkpoint_interval_seconds: interval } = value;
  const areTimes = isNullOr(timeout, isPositive) && isNullOr(interval, isPositive);
  const { kind, sha256, source, definition } = value['program'];
  if (!isOptional(source, isText) || !isOptional(definition, isObject)) return false;
  const isNamed = isText(sha256) || isText(source) || isObject(definition);
  if (!isOptional(value['memory_mb'], isMemory)) return false;
  return areTimes && isText(kind) && isOptional(sha256, isText) && isNamed;
}

function isHeartbeatAnswer(value: unknown): boolean {
  return (
    isObject(value) &&
    isNumber(value['heartbeat_id']) &&
    isListOf(value['stop'], isOrder) &&
    isInterval(value['heartbeat_interval_seconds']) &&
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

/** What can be sent in a header. */
function isToken(value: unknown): boolean {
  return isText(value) && /^[!-~]{1,1000}$/.test(value);
}

/** Seconds between things that are done again and again. */
function isInterval(value: unknown): boolean {
  return isNumber(value) && value >= shortestIntervalSeconds && value <= longestPauseSeconds;
}

function isPause(value: unknown): boolean {
  return isNumber(value) && value >= 0 && value <= longestPauseSeconds;
}

function isMemory(value: unknown): boolean {
  return isPositive(value) && Number.isInteger(value);
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

function quoted(type: unknown): string {
  return isText(type) ? ` ${JSON.stringify(type.slice(0, longestQuoted))}` : '';
}
