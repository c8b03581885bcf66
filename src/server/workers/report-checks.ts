// Checks of frequent messages, written by hand: thousands of entries a second pass here, and a schema
// library would take several times as long as parsing them. They only say yes or no; the schema gives the
// sentence (`report-entries.ts`). A property test compares both.

import {
  base64,
  mostReportedBlobs,
  type reportSchemas,
  sha256Hex,
} from '../../protocol/schemas/worker-messages.ts';

export type ReportName = keyof typeof reportSchemas;
type Entry = Readonly<Record<string, unknown>>;

const longestId = 200;

export const reportChecks: Readonly<Record<ReportName, (entry: unknown) => boolean>> = {
  started: isRef,
  release: (entry) => isRef(entry) && (entry['lacks'] === undefined || isHash(entry['lacks'])),
  progress: (entry) => isRef(entry) && isShare(entry['progress']) && isNote(entry['message']),
  output: (entry) =>
    isRef(entry) &&
    typeof entry['text'] === 'string' &&
    (entry['left_out'] === undefined || isCount(entry['left_out'])),
  checkpoint: (entry) =>
    isRef(entry) &&
    isCount(entry['sequence']) &&
    isShare(entry['progress']) &&
    isMeasured(entry['run_ms']) &&
    isState(entry),
  result: (entry) =>
    isRef(entry) &&
    entry['value'] !== undefined &&
    (entry['blobs'] === undefined || areHashes(entry['blobs'])) &&
    isMeasured(entry['run_ms']) &&
    isMeasured(entry['cpu_seconds']) &&
    isMeasured(entry['energy_joules']) &&
    isText(entry['output']),
  failure: (entry) =>
    isRef(entry) &&
    typeof entry['error_type'] === 'string' &&
    typeof entry['error_message'] === 'string' &&
    (entry['retryable'] === undefined || typeof entry['retryable'] === 'boolean') &&
    isMeasured(entry['run_ms']) &&
    isMeasured(entry['cpu_seconds']) &&
    isText(entry['error_stack']) &&
    isText(entry['output']),
  refusal: (entry) => isRef(entry) && isReason(entry['reason']),
};

function areHashes(list: unknown): boolean {
  return Array.isArray(list) && list.length <= mostReportedBlobs && list.every(isHash);
}

export function isHeartbeatAttempt(entry: unknown): boolean {
  return (
    isRef(entry) &&
    (entry['progress'] === undefined || isShare(entry['progress'])) &&
    (entry['checkpoint_sequence'] === undefined || isCount(entry['checkpoint_sequence']))
  );
}

export function isHeldAttempt(entry: unknown): boolean {
  return isRef(entry) && heldStates.has(entry['state']) && isMeasured(entry['run_ms']);
}

const heldStates: ReadonlySet<unknown> = new Set(['queued', 'running', 'finished']);

/** Exactly one of its three forms. A plain state needs no hash and no size, and may have them. */
function isState({ state, state_gzip, state_blob, sha256, size_bytes }: Entry): boolean {
  const isPlain = state !== undefined;
  const isPacked = state_gzip !== undefined;
  if (Number(isPlain) + Number(isPacked) + Number(state_blob !== undefined) !== 1) return false;
  if (isPacked && !(typeof state_gzip === 'string' && base64.test(state_gzip))) return false;
  if (!isPlain && !isPacked && !isHash(state_blob)) return false;
  const isHashFine = sha256 === undefined ? isPlain : isHash(sha256);
  return isHashFine && (size_bytes === undefined ? isPlain : isCount(size_bytes));
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && sha256Hex.test(value);
}

function isRef(entry: unknown): entry is Entry {
  if (typeof entry !== 'object' || entry === null) return false;
  const { task_id, attempt, token } = entry as Entry;
  return isId(task_id) && isCount(attempt) && attempt > 0 && isId(token);
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= longestId;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isShare(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function isMeasured(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= 1e12);
}

function isNote(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isReason(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 1000;
}
