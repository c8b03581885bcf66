// An example of every refusal for the published document: what the operation would say, wherever it can be
// had from the code that says it.

import type { z } from 'zod';
import type { ErrorBody, ErrorCode } from '../protocol/errors.ts';
import type { Limits } from '../protocol/limits.ts';
import { exampleIds } from '../protocol/schemas/fields.ts';
import { algorithmNames } from '../protocol/schemas/scheduler.ts';
import { silent } from './body-pace.ts';
import { Connections } from './connections.ts';
import { bugDetail, damagedDetail, noSuchPath, storageDetail } from './error-answers.ts';
import { missingToken } from './bearer.ts';
import { InFlight } from './in-flight.ts';
import { tooMuchUnread } from './open-answers.ts';
import { OriginCheck } from './origin.ts';
import { crowded } from './pressure.ts';
import { Refusal, shown, unknownBlob, unknownJob, unknownWorker } from './refusal.ts';
import { bodyTooLarge } from './request-body.ts';
import { validated } from './validation.ts';

/** What a route says of itself, as far as an example is made from it. */
export interface ExampleRoute {
  readonly method: string;
  readonly url: string;
  readonly body?: z.ZodType;
  readonly querystring?: z.ZodType;
  readonly config?: { readonly bringsWork?: boolean };
  readonly limits: Limits;
}

/** `own`: the example that the route has itself. */
export function exampleRefusal(code: ErrorCode, route: ExampleRoute, own?: Refusal): ErrorBody {
  const made = own ?? sentences[code](route);
  const { message: detail, errors } = typeof made === 'string' ? new Refusal(code, made) : made;
  if (code !== 'validation_failed') return { detail, code };
  return { detail, code, errors: errors ?? [{ path: '', message: detail }] };
}

const { job, worker } = exampleIds;
const hash = 'b5d4045c'.repeat(8);

/** Those in words stand elsewhere in the same words; a test compares some with what is answered. */
const sentences: Readonly<Record<ErrorCode, (route: ExampleRoute) => Refusal | string>> = {
  validation_failed: brokenRule,
  not_supported_yet: () => 'program.kind "wasm" is not supported yet; use javascript.',
  malformed_request: () => 'This is not HTTP that can be read.',
  unauthorized: () => missingToken().message,
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
  unknown_algorithm: () =>
    `There is no algorithm "topsis"; there are ${algorithmNames.join(', ')}.`,
  method_not_allowed: () => 'PATCH is not possible here; this address takes DELETE, GET, HEAD.',
  request_timeout: () => silent(),
  job_is_final: () => 'The job is completed; it can no longer be cancelled.',
  job_not_final: () => 'The job is pending; cancel it first.',
  nothing_to_retry: () => 'No task of the job has failed; the job is completed.',
  idempotency_conflict: () =>
    'The key "nightly-7" came with another body before; use a new key for a new job.',
  worker_name_taken: () => 'Another connection holds this worker id.',
  payload_too_large: ({ limits }) => bodyTooLarge(limits.bodyBytes, 'body_bytes'),
  overloaded: ({ limits }) => new Connections(limits.connectionsPerToken).tooMany(),
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
  shutting_down: () => 'The coordinator is stopping; try again in a moment.',
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
