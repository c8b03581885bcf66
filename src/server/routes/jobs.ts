// Jobs: submit, show, cancel, retry, delete.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { FollowAsked } from '../../coordinator/port/jobs.ts';
import { exampleTime, queryFlag } from '../../protocol/schemas/fields.ts';
import {
  deletedJobSchema,
  jobAnswerSchema,
  jobSummaryExample,
  jobSummarySchema,
} from '../../protocol/schemas/resources.ts';
import { submissionSchema } from '../../protocol/schemas/submission.ts';
import { answers, bodyRefusals, jobId, json, refused } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { IdempotencyKey } from '../idempotency.ts';
import type { OpenAnswer } from '../open-answers.ts';
import { accepted, unknownJob } from '../refusal.ts';
import { submissionRules } from '../reading-rules.ts';
import { discardRest, mediaType, readCutBody, wrongType } from '../request-body.ts';
import { createSubmissionReader } from '../submission.ts';
import {
  arrayTexts,
  type Encode,
  jsonChunks,
  jsonType,
  ndjsonType,
  openLines,
} from '../text-stream.ts';
import { isStaged } from '../staged-receipts.ts';
import { type Submitted, uploadJob, type UploadContext, uploadStagedJob } from '../upload-job.ts';
import { addJobListRoute } from './job-list.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['jobs'];

const submittedAnswer = {
  description: 'The job. `Location` names its address. With `follow`, one object a line',
  content: {
    'application/json': {
      schema: jobSummarySchema,
      example: { ...jobSummaryExample, status: 'pending' },
    },
    'application/x-ndjson': {
      schema: z.string().describe('The job, its results, and the job at its end, each a line'),
    },
  },
};

const detailQuery = z.object({
  tasks: queryFlag().exactOptional().describe('`false` leaves the tasks out'),
});

export function addJobRoutes(
  app: App,
  { coordinator, callers, limits, inFlight, openAnswers, webhooks, access }: RouteContext,
): void {
  const reader = createSubmissionReader(limits, webhooks);
  const context = { limits, inFlight, reader };

  /** What bounds streams is asked before the job is there: who is refused has submitted nothing. */
  function openToFollow(request: FastifyRequest, reply: FastifyReply): OpenAnswer {
    try {
      access.quotas.holdStream(request, reply);
      return openAnswers.open(request, reply);
    } catch (error) {
      discardRest(request.raw);
      throw error;
    }
  }

  app.post(
    '/api/jobs',
    {
      config: {
        access: 'client',
        readsBody: true,
        bringsWork: true,
        bringsData: true,
        stagesBody: 'lines',
        audit: 'job.submit',
      },
      schema: {
        tags,
        operationId: 'submitJob',
        summary: 'Submit a job',
        description:
          'As JSON, or for many inputs as `application/x-ndjson`: the job without `inputs` in the ' +
          'first line, then one input a line. The job is durable before the answer leaves. With an ' +
          '`Idempotency-Key` a repeat of the same body gets the same job; another body is a 409. With ' +
          '`follow` the answer is NDJSON and stays open: `{"job": …}` in the first line, then the results as ' +
          '`GET /api/jobs/{job_id}/results?follow=true` gives them, and when the job is final `{"job": …}` ' +
          'once more in the last. An answer that ends without that is taken up there.',
        querystring: z.object({
          follow: queryFlag()
            .exactOptional()
            .describe('Answer the job, then its results as they come, until it is final'),
        }),
        headers: z.looseObject({
          'idempotency-key': z
            .string()
            .exactOptional()
            .describe(`1 to ${limits.idempotencyKeyCharacters} visible ASCII characters`),
        }),
        body: submissionSchema(limits),
        response: {
          201: submittedAnswer,
          ...refused([...bodyRefusals, 'idempotency_conflict', 'disk_full', 'overloaded']),
        },
      },
    },
    async (request, reply) => {
      const ports = portsOf(coordinator, request);
      const elsewhere = isStaged(request, callers) ? reply : null;
      const upload = { ...context, coordinator: ports, elsewhere };
      if (request.query.follow !== 'true') {
        const { job } = await submitJob(upload, request);
        return reply.code(201).header('location', `/api/jobs/${job.id}`).send(job);
      }
      const answer = openToFollow(request, reply);
      const { signal, pace, encode, endWithNext: onLast } = answer;
      const { job, lines } = await submitJob(upload, request, { signal, pace, onLast });
      // A proxy that gathers answers would hold back the line which says that the job is there.
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
      reply.code(201).header('location', `/api/jobs/${job.id}`);
      const head = encode(`${JSON.stringify({ job })}\n`);
      return answer.sendOpen(ndjsonType, { ...openLines(coordinator, lines!, encode), head });
    },
  );

  addJobListRoute(app, { coordinator, openAnswers });

  app.get(
    '/api/jobs/:job_id',
    {
      config: { access: 'viewer', fromStore: true },
      schema: {
        tags,
        operationId: 'getJob',
        summary: 'One job with all its tasks',
        description: '`?tasks=false` leaves `tasks` out: cheap to ask for often.',
        params: jobId,
        querystring: detailQuery,
        response: answers(jobAnswerSchema, 'unknown_job', 'validation_failed'),
      },
    },
    async (request, reply) => {
      const { job_id: id } = request.params;
      if (request.query.tasks === 'false') {
        const head = await portsOf(coordinator, request).reads.findJob(id);
        if (head === undefined) throw unknownJob(id);
        return reply.send(head);
      }
      const answer = openAnswers.open(request, reply);
      const detail = await portsOf(coordinator, request).reads.findJobDetail(id);
      if (detail === undefined) throw unknownJob(id);
      return answer.send(
        jsonType,
        detailTexts(detail.head, answer.paced(detail.tasks), answer.encode),
      );
    },
  );

  app.post(
    '/api/jobs/:job_id/cancel',
    {
      config: { access: 'client', audit: 'job.cancel' },
      schema: {
        tags,
        operationId: 'cancelJob',
        summary: 'Cancel a job',
        description: 'What is pending will not run, what runs is stopped. Answers the job.',
        params: jobId,
        response: {
          ...answers(jobSummarySchema, 'unknown_job', 'job_is_final'),
          200: json(jobSummarySchema, 'The job as it is now', {
            ...jobSummaryExample,
            status: 'cancelled',
            completed_at: exampleTime,
          }),
        },
      },
    },
    async (request) =>
      accepted(await portsOf(coordinator, request).jobs.cancel(request.params.job_id)),
  );

  app.post(
    '/api/jobs/:job_id/retry',
    {
      config: { access: 'client', bringsWork: true, audit: 'job.retry' },
      schema: {
        tags,
        operationId: 'retryJob',
        summary: 'Requeue the failed tasks of a job',
        description: 'The one way out of a final state: the budgets begin anew, attempts count on.',
        params: jobId,
        response: {
          ...answers(jobSummarySchema, 'unknown_job', 'nothing_to_retry'),
          200: json(jobSummarySchema, 'The job as it is now', {
            ...jobSummaryExample,
            status: 'pending',
          }),
        },
      },
    },
    async (request) =>
      accepted(await portsOf(coordinator, request).jobs.retry(request.params.job_id)),
  );

  app.post(
    '/api/jobs/:job_id/hold',
    {
      config: { access: 'client', audit: 'job.hold' },
      schema: {
        tags,
        operationId: 'holdJob',
        summary: 'Hold a job',
        description:
          'Nothing new of it starts, retries and resumptions included, until `release`; what runs goes ' +
          'on. Time limits of what runs go on as well. Holding a held job changes nothing.',
        params: jobId,
        response: answers(jobSummarySchema, 'unknown_job', 'job_is_final'),
      },
    },
    async (request) =>
      accepted(await portsOf(coordinator, request).jobs.hold(request.params.job_id)),
  );

  app.post(
    '/api/jobs/:job_id/release',
    {
      config: { access: 'client', bringsWork: true, audit: 'job.release' },
      schema: {
        tags,
        operationId: 'releaseJob',
        summary: 'Let a held job go on',
        description: 'Takes back a `hold`; a job that is not held is answered as it is.',
        params: jobId,
        response: answers(jobSummarySchema, 'unknown_job'),
      },
    },
    async (request) =>
      accepted(await portsOf(coordinator, request).jobs.release(request.params.job_id)),
  );

  app.delete(
    '/api/jobs/:job_id',
    {
      config: { access: 'client', audit: 'job.delete' },
      schema: {
        tags,
        operationId: 'deleteJob',
        summary: 'Remove a job that has ended',
        description: 'And all that belongs to it: tasks, results, checkpoints, events.',
        params: jobId,
        response: answers(deletedJobSchema, 'unknown_job', 'job_not_final'),
      },
    },
    async (request) => {
      const { job_id } = accepted(
        await portsOf(coordinator, request).jobs.delete(request.params.job_id),
      );
      return { job_id, status: 'deleted' } as const;
    },
  );
}

interface SubmitContext extends UploadContext {
  /** By which a member of the cluster that reads the body is told what to do with it; null: it comes here. */
  readonly elsewhere: FastifyReply | null;
}

async function submitJob(
  { elsewhere, ...context }: SubmitContext,
  request: FastifyRequest,
  asked?: FollowAsked,
): Promise<Submitted> {
  const type = mediaType(request);
  const key = IdempotencyKey.of(request, context.limits);
  if (type === 'application/x-ndjson') {
    return elsewhere === null
      ? uploadJob(context, request, key, asked)
      : uploadStagedJob(context, request, elsewhere, key, asked);
  }
  if (type !== 'application/json') {
    throw wrongType(request, type, 'application/json or application/x-ndjson');
  }
  const body = await readCutBody(request, {
    limitBytes: context.limits.bodyBytes,
    rules: submissionRules(context.limits),
    inFlight: context.inFlight,
    onBytes: (bytes) => key?.take(bytes),
  });
  const { submission, inputs } = await context.reader.read(body);
  const { submissions } = context.coordinator;
  const idempotency = key?.finish();
  if (asked === undefined) {
    return { job: accepted(await submissions.submit(submission, inputs, idempotency)) };
  }
  return accepted(await submissions.submitFollowed(submission, inputs, asked, idempotency));
}

async function* detailTexts(
  head: object,
  tasks: AsyncIterable<readonly unknown[]>,
  encode: Encode,
) {
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"tasks":`);
  yield* arrayTexts(jsonChunks(tasks), encode);
  yield Buffer.from('}');
}
