// The one table of all reasons with which the interface can refuse. `code` is stable; `detail` is a sentence
// that a person can act on, and may name what was given.

import type { ErrorCode } from './error-codes.ts';

export const errorTable = {
  validation_failed: {
    status: 422,
    meaning: 'The request breaks its schema; `errors` says where.',
  },
  malformed_request: { status: 400, meaning: 'What arrived is not HTTP that can be read.' },
  unauthorized: { status: 401, meaning: 'A token is needed.' },
  forbidden: {
    status: 403,
    meaning: 'The token does not allow this, or the `Host` or `Origin` is not one that is served.',
  },
  deregistered: {
    status: 403,
    meaning: 'This worker was removed and must not come back by itself.',
  },
  not_found: { status: 404, meaning: 'No such path.' },
  unknown_job: { status: 404, meaning: 'No job has this id.' },
  unknown_task: { status: 404, meaning: 'The job has no task with this index.' },
  no_output: { status: 404, meaning: 'Nothing that the task printed is kept.' },
  unknown_worker: { status: 404, meaning: 'No worker has this id.' },
  unknown_blob: { status: 404, meaning: 'No blob has this hash.' },
  unknown_token: { status: 404, meaning: 'No token has this id.' },
  unknown_algorithm: { status: 404, meaning: 'No scheduling algorithm has this id.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not for this method.' },
  request_timeout: { status: 408, meaning: 'The rest of the request did not arrive in time.' },
  job_is_final: { status: 409, meaning: 'The job has ended; it can no longer be cancelled.' },
  job_not_final: { status: 409, meaning: 'The job has not ended yet.' },
  not_waiting: {
    status: 409,
    meaning: 'The worker does not wait for anybody: it has been let in.',
  },
  nothing_to_retry: { status: 409, meaning: 'No task of the job has failed.' },
  admin_token_first: { status: 409, meaning: 'The first token must be one of an admin.' },
  last_admin_token: { status: 409, meaning: 'The last admin token stays while others are in use.' },
  idempotency_conflict: { status: 409, meaning: 'The same key came with another body.' },
  worker_name_taken: { status: 409, meaning: 'Another connection holds this worker id.' },
  payload_too_large: { status: 413, meaning: 'The body, or a part of it, passes a limit.' },
  overloaded: { status: 429, meaning: 'Too much at once; try again after the time given.' },
  quota_exceeded: {
    status: 429,
    meaning:
      'A quota of the token, or a limit of the address, is used up; `quota` names it. ' +
      'Try again after the time given.',
  },
  stale_attempt: {
    status: 409,
    meaning: 'A newer attempt has replaced this one, or its task ended.',
  },
  not_yours: {
    status: 403,
    meaning: 'The attempt belongs to another worker, or the token is wrong.',
  },
  internal: { status: 500, meaning: 'A fault of the coordinator; its log has the rest.' },
  storage_failed: {
    status: 500,
    meaning:
      'The disk refused a commit, nothing of which was kept, or something could not be read, or the database did not ' +
      'say what became of a commit; `detail` says which.',
  },
  store_damaged: {
    status: 500,
    meaning: 'What was asked for is damaged where it is stored; everything else is served.',
  },
  busy: {
    status: 503,
    meaning:
      'The coordinator has too much to do at the moment, or its database does not answer, or has lost what was being ' +
      'sent; try again after the time given.',
  },
  disk_full: {
    status: 507,
    meaning:
      'The disk of the coordinator is nearly full: nothing that brings data is taken until there is room. ' +
      'What is accepted goes on.',
  },
  shutting_down: {
    status: 503,
    meaning:
      'Nothing was done: the coordinator is stopping, or none of its cluster leads; try again in a moment.',
  },
  leader_changed: {
    status: 503,
    meaning:
      'Another coordinator of the cluster took over, and it is not known whether this took effect; repeat it ' +
      'with the same `Idempotency-Key`.',
  },
} as const satisfies Readonly<Record<ErrorCode, { status: number; meaning: string }>>;

export interface ErrorBody {
  readonly detail: string;
  readonly code: ErrorCode;
  /** Present only with `quota_exceeded`: its name. */
  readonly quota?: string;
  /** Present only with `validation_failed`. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** Said by whichever member of a cluster stores the inputs of a job, when some of them are not there any more. */
export const inputsLost =
  'Some inputs of this job were lost while it was sent, since the database has crashed or was cut off; nothing ' +
  'of the job was kept. Send it again.';
