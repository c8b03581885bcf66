// An example of every refusal for the published document: what the operation would say, wherever it can be
// had from the code that says it.

import type { z } from 'zod';
import type { ErrorCode } from '../protocol/error-codes.ts';
import type { ErrorBody } from '../protocol/errors.ts';
import type { Limits } from '../protocol/limits.ts';
import { exampleIds } from '../protocol/schemas/fields.ts';
import { algorithmNames } from '../protocol/schemas/scheduler.ts';
import { noToken } from './access/access.ts';
import type { AccessClass } from './access/roles.ts';
import { silent } from './body-pace.ts';
import { Connections } from './connections.ts';
import {
  bugDetail,
  damagedDetail,
  noSuchPath,
  storageDetail,
  unknownOutcome,
} from './error-answers.ts';
import { missingToken } from './bearer.ts';
import { InFlight } from './in-flight.ts';
import { tooMuchUnread } from './open-answers.ts';
import { OriginCheck } from './origin.ts';
import { crowded } from './pressure.ts';
import {
  quotaExceeded,
  Refusal,
  shown,
  unknownBlob,
  unknownJob,
  unknownWorker,
} from './refusal.ts';
import { bodyTooLarge } from './request-body.ts';
import { validated } from './validation.ts';

/** What a route says of itself, as far as an example is made from it. */
export interface ExampleRoute {
  readonly method: string;
  readonly url: string;
  readonly body?: z.ZodType;
  readonly querystring?: z.ZodType;
  readonly config?: { readonly bringsWork?: boolean; readonly access?: AccessClass };
  readonly limits: Limits;
}

/** `own`: the example that the route has itself. */
export function exampleRefusal(code: ErrorCode, route: ExampleRoute, own?: Refusal): ErrorBody {
  const made = own ?? sentences[code](route);
  const refusal = typeof made === 'string' ? new Refusal(code, made) : made;
  const { message: detail, errors, exceeded } = refusal;
  if (exceeded !== undefined) return { detail, code, quota: exceeded.quota };
  if (code !== 'validation_failed') return { detail, code };
  return { detail, code, errors: errors ?? [{ path: '', message: detail }] };
}

const { job, worker } = exampleIds;
const hash = 'b5d4045c'.repeat(8);

/** Those in words stand elsewhere in the same words; a test compares some with what is answered. */
const sentences: Readonly<Record<ErrorCode, (route: ExampleRoute) => Refusal | string>> = {
  validation_failed: brokenRule,
  malformed_request: () => 'This is not HTTP that can be read.',
  unauthorized: ({ config }) => (config?.access === 'worker' ? missingToken().message : noToken),
  forbidden: () =>
    new OriginCheck([]).refusal('https://elsewhere.example', 'http://localhost:8000') ?? '',
  deregistered: () => `Worker ${worker} was removed and must stay away.`,
  not_found: noSuchPath,
  unknown_job: () => unknownJob(job),
  unknown_task: () => `The job has no task with the index ${shown('12')}.`,
  no_output: () =>
    'Nothing that the task printed is kept: it printed nothing, or has not ended, or the job does not ' +
    'keep it (`keep_output`).',
  unknown_worker: () => unknownWorker(worker),
  unknown_blob: () => unknownBlob(hash),
  unknown_token: () => 'No token has the id "4k2m9x0b".',
  admin_token_first: () =>
    'There is no admin token yet, and the first token must be one: nobody else could make more. ' +
    'Make it with `muster token create --kind admin`.',
  last_admin_token: () =>
    'This is the last admin token, and others are in use: without it nobody could revoke them. ' +
    'Make another admin token first, or revoke the others.',
  unknown_algorithm: () =>
    `There is no algorithm "topsis"; there are ${algorithmNames.join(', ')}.`,
  method_not_allowed: () => 'PATCH is not possible here; this address takes DELETE, GET, HEAD.',
  request_timeout: () => silent(),
  job_is_final: () => 'The job is completed; it can no longer be cancelled.',
  job_not_final: () => 'The job is pending; cancel it first.',
  not_waiting: () => 'The worker has been let in; `muster deregister` removes it.',
  nothing_to_retry: () => 'No task of the job has failed; the job is completed.',
  idempotency_conflict: () =>
    'The key "nightly-7" came with another body before; use a new key for a new job.',
  worker_name_taken: () => 'Another connection holds this worker id.',
  payload_too_large: ({ limits }) => bodyTooLarge(limits.bodyBytes, 'body_bytes'),
  overloaded: ({ limits }) => new Connections(limits.connectionsPerToken).tooMany(),
  quota_exceeded: () =>
    quotaExceeded(
      'The token 4k2m9x0b may have 1000 open jobs (quota open_jobs); try again when some have ended.',
      { quota: 'open_jobs', retryAfterSeconds: 10 },
    ),
  stale_attempt: () => 'The attempt no longer counts: it was replaced, or its task ended.',
  not_yours: () => `The token does not belong to worker ${worker}.`,
  internal: () => bugDetail,
  storage_failed: (route) => storageDetail(undefined, route),
  store_damaged: () => damagedDetail,
  busy: ({ body, config, limits }) => {
    if (config?.bringsWork === true) return crowded;
    return body === undefined
      ? tooMuchUnread(limits.answerBytes)
      : new InFlight(limits.inFlightBytes).full();
  },
  disk_full: () =>
    'Only 198 MB are left for the database of the coordinator, and 256 MB must stay free (--min-free-disk-mb): ' +
    'new jobs, blobs and checkpoints are refused until there is room. What is accepted goes on. Remove jobs that ' +
    'have ended (`muster delete --before 7d`), or make room elsewhere on that disk.',
  shutting_down: () => 'The coordinator is stopping; try again in a moment.',
  leader_changed: () => unknownOutcome,
};

/** The body with a field too much, or a query that cannot be. */
function brokenRule({ body, querystring }: ExampleRoute): Refusal | string {
  const [example] = (body?.meta()?.examples ?? []) as object[];
  if (body !== undefined && example !== undefined) {
    return problemOf(body, { ...example, colour: 'red' }, 'The body') ?? '';
  }
  const { shape = {} } = (querystring ?? {}) as { readonly shape?: object };
  for (const odd of ['?', ['a', 'b']]) {
    for (const name of Object.keys(shape)) {
      const problem = problemOf(querystring!, { [name]: odd }, 'The query');
      if (problem !== null) return problem;
    }
  }
  return '';
}

function problemOf(schema: z.ZodType, value: unknown, subject: string): Refusal | null {
  try {
    validated(schema, value, subject);
    return null;
  } catch (error) {
    return error as Refusal;
  }
}
