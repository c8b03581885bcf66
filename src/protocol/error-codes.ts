// The codes of all refusals, alone: clients carry these, but not what the table of errors says of each.

const codes = [
  'validation_failed',
  'malformed_request',
  'unauthorized',
  'forbidden',
  'deregistered',
  'not_found',
  'unknown_job',
  'unknown_task',
  'no_output',
  'unknown_worker',
  'unknown_blob',
  'unknown_token',
  'unknown_algorithm',
  'method_not_allowed',
  'request_timeout',
  'job_is_final',
  'job_not_final',
  'not_waiting',
  'nothing_to_retry',
  'admin_token_first',
  'last_admin_token',
  'idempotency_conflict',
  'worker_name_taken',
  'payload_too_large',
  'overloaded',
  'quota_exceeded',
  'stale_attempt',
  'not_yours',
  'internal',
  'storage_failed',
  'store_damaged',
  'busy',
  'disk_full',
  'shutting_down',
  'leader_changed',
] as const;

export type ErrorCode = (typeof codes)[number];

const known: ReadonlySet<unknown> = new Set(codes);

export function isErrorCode(code: unknown): code is ErrorCode {
  return known.has(code);
}
