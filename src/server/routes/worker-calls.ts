// Workers over plain HTTP: the messages of the socket as calls, for small devices and for curl.

import { z } from 'zod';
import type { ClaimedAssignment } from '../../coordinator/port/workers.ts';
import { payloadText, programJson } from '../../protocol/codec.ts';
import type { HeartbeatAttempt, WorkerMessage } from '../../protocol/messages.ts';
import {
  claimAnswerSchema,
  claimSchema,
  giveBackSchema,
  heartbeatCallAnswerSchema,
  heartbeatCallSchema,
  longestWaitSeconds,
  registeredSchema,
  registrationSchema,
  reportAnswerSchema,
  reportArrays,
  reportEnvelopeSchema,
  reportSchema,
} from '../../protocol/schemas/worker-calls.ts';
import { exampleIds } from '../../protocol/schemas/fields.ts';
import { heartbeatAttemptSchema } from '../../protocol/schemas/worker-messages.ts';
import { bodyRefusals, json, refused, workerId } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { neededToken } from '../bearer.ts';
import { bodyRules, heartbeatRules, reportRules } from '../reading-rules.ts';
import { accepted, Refusal } from '../refusal.ts';
import { isHeartbeatAttempt, type ReportName } from '../workers/report-checks.ts';
import { PackedStates } from '../workers/packed-states.ts';
import { type BadEntry, Explanations, reportMessage } from '../workers/report-entries.ts';
import { bodyTooLarge, readCutBody, readJsonBody } from '../request-body.ts';
import { goneSignal, jsonType } from '../text-stream.ts';
import { entryProblem, validated } from '../validation.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['worker calls'];
const security = [{ workerToken: [] }];
const config = { access: 'worker', readsBody: true, audit: 'worker.call' } as const;
const refusals = [
  'unauthorized',
  'deregistered',
  'not_yours',
  'unknown_worker',
  ...bodyRefusals,
] as const;

/** What is told in other words to workers: as the coordinator says it, and with the limit of the call. */
const ownExamples = (limitBytes: number, limitName: string) => ({
  unknown_worker: new Refusal(
    'unknown_worker',
    `No worker has the id "${exampleIds.worker}"; register anew.`,
  ),
  payload_too_large: bodyTooLarge(limitBytes, limitName),
});
const tooManyWorkers = (most: number) =>
  `No more than ${most} may be registered (limit workers); deregister some first.`;

export function addWorkerCallRoutes(app: App, context: RouteContext): void {
  addRegistration(app, context);
  addHeartbeat(app, context);
  addClaim(app, context);
  addReport(app, context);
  addRelease(app, context);
}

function addRegistration(app: App, { coordinator, limits, inFlight }: RouteContext): void {
  const small = {
    limitBytes: limits.helloBytes,
    limitName: 'hello_bytes',
    rules: bodyRules(limits),
    inFlight,
  };
  const schema = registrationSchema(limits, z.unknown());
  app.post(
    '/api/workers',
    {
      config: {
        access: 'join',
        countsAs: 'registrations',
        readsBody: true,
        bringsWork: true,
        audit: 'worker.register',
      },
      schema: {
        tags,
        operationId: 'registerWorker',
        summary: 'Register a worker',
        description:
          'The answer holds the token that every further call carries as `Authorization: Bearer`. ' +
          'The worker may get work from now on, for as long as it is heard of.',
        body: registrationSchema(limits),
        response: {
          201: json(registeredSchema, 'The worker is known; its token is told only now'),
          ...refused([...bodyRefusals, 'overloaded'], {
            payload_too_large: bodyTooLarge(limits.helloBytes, 'hello_bytes'),
            overloaded: new Refusal('overloaded', tooManyWorkers(limits.workers)),
          }),
        },
      },
    },
    async (request, reply) => {
      const body = await readJsonBody(request, small);
      const { telemetry, ...device } = validated(schema, body, 'The body');
      const registered = accepted(
        await portsOf(coordinator, request).pullWorkers.register(
          { device, ...(telemetry === undefined ? {} : { telemetry }) },
          request.bearer,
        ),
      );
      return reply.code(201).send(registered);
    },
  );
}

function addHeartbeat(app: App, { coordinator, limits, inFlight }: RouteContext): void {
  const lists = {
    limitBytes: limits.bodyBytes,
    rules: heartbeatRules(limits),
    inFlight,
  };
  const schema = heartbeatCallSchema(
    z.custom((telemetry) => telemetry !== undefined, 'must be an object'),
  );
  app.post(
    '/api/workers/:worker_id/heartbeat',
    {
      config,
      schema: {
        tags,
        security,
        operationId: 'sendHeartbeat',
        summary: 'Tell how the device is, and which attempts it holds',
        description:
          'Send it every `heartbeat_interval_seconds`. An attempt that was handed out and is ' +
          'missing from two lists in a row is taken for lost, unless the second comes less than half an ' +
          'interval after the first.',
        params: workerId,
        body: heartbeatCallSchema(),
        response: {
          200: json(heartbeatCallAnswerSchema, 'What the coordinator has to say'),
          ...refused(refusals, ownExamples(limits.bodyBytes, 'body_bytes')),
        },
      },
    },
    async (request) => {
      const token = neededToken(request);
      const { worker_id: id } = request.params;
      const isWorker = portsOf(coordinator, request).pullWorkers.hasWorked(id, token);
      const body = await readJsonBody(request, { ...lists, isWorker });
      const { running = [], ...said } = heartbeatOf(body, schema);
      const { stop, heartbeat_interval_seconds, drain, warnings } = accepted(
        await portsOf(coordinator, request).pullWorkers.heartbeat(id, token, {
          ...said,
          running,
        }),
      );
      return { stop: [...stop], heartbeat_interval_seconds, drain, warnings: [...warnings] };
    },
  );
}

function addClaim(app: App, { coordinator, limits, inFlight, closing }: RouteContext): void {
  const small = {
    limitBytes: limits.helloBytes,
    limitName: 'hello_bytes',
    rules: bodyRules(limits),
    inFlight,
  };
  const schema = claimSchema(limits);
  app.post(
    '/api/workers/:worker_id/claim',
    {
      config,
      schema: {
        tags,
        security,
        operationId: 'claimAssignments',
        summary: 'Ask for work, and wait for it',
        description:
          `A long poll: it answers as soon as there is something, at the latest after ` +
          `\`wait_seconds\` (0 to ${longestWaitSeconds}), with an empty array then. An answer has at ` +
          'most 16 MiB, unless its first assignment is larger: the rest waits for the next claim.',
        params: workerId,
        body: schema,
        response: {
          200: json(claimAnswerSchema, 'What to run; may be empty'),
          ...refused(refusals, ownExamples(limits.helloBytes, 'hello_bytes')),
        },
      },
    },
    async (request, reply) => {
      const token = neededToken(request);
      const { worker_id: id } = request.params;
      const isWorker = portsOf(coordinator, request).pullWorkers.hasWorked(id, token);
      const body = await readJsonBody(request, { ...small, isWorker });
      const { max = limits.slotsPerWorker, wait_seconds = 0 } = validated(schema, body, 'The body');
      const signal = AbortSignal.any([closing, goneSignal(reply)]);
      const how = { max, waitMs: Math.round(wait_seconds * 1000), signal };
      const assignments = accepted(
        await portsOf(coordinator, request).pullWorkers.claim(id, token, how),
      );
      return reply
        .type(jsonType)
        .send(`{"assignments":[${assignments.map(assignmentText).join()}]}`);
    },
  );
}

function addReport(app: App, { coordinator, limits, inFlight }: RouteContext): void {
  const reports = {
    limitBytes: limits.frameBytes,
    limitName: 'frame_bytes',
    rules: reportRules(limits),
    inFlight,
  };
  app.post(
    '/api/workers/:worker_id/report',
    {
      config,
      schema: {
        tags,
        security,
        operationId: 'reportAttempts',
        summary: 'Tell what became of attempts',
        description:
          'Answers after the commit: what is in `accepted` is durable. One bad entry does not spoil ' +
          'the others; it is in `rejected` with the code `invalid_report`.',
        params: workerId,
        body: reportSchema,
        response: {
          200: json(reportAnswerSchema, 'What became of each entry'),
          ...refused(refusals, ownExamples(limits.frameBytes, 'frame_bytes')),
        },
      },
    },
    async (request) => {
      const token = neededToken(request);
      const { worker_id: id } = request.params;
      const isWorker = portsOf(coordinator, request).pullWorkers.hasWorked(id, token);
      const { value, payloads } = await readCutBody(request, { ...reports, isWorker });
      const report = validated(reportEnvelopeSchema, value, 'The body');
      const context = {
        limits,
        payloads,
        explanations: new Explanations(),
        packedStates: new PackedStates(),
      };
      const messages: WorkerMessage[] = [];
      const bad = new BadEntries();
      for (const [kind, name] of Object.entries(reportArrays) as [
        ReportName,
        keyof typeof report,
      ][]) {
        const message = reportMessage(kind, report[name] ?? [], context, (entry) => bad.add(entry));
        if (message !== null) messages.push(message);
      }
      const answer = accepted(
        await portsOf(coordinator, request).pullWorkers.report(id, token, messages),
      );
      return { accepted: [...answer.accepted], rejected: [...answer.rejected, ...bad.told()] };
    },
  );
}

function addRelease(app: App, { coordinator, limits, inFlight }: RouteContext): void {
  const lists = { limitBytes: limits.bodyBytes, rules: heartbeatRules(limits), inFlight };
  app.post(
    '/api/workers/:worker_id/release',
    {
      config,
      schema: {
        tags,
        security,
        operationId: 'releaseAttempts',
        summary: 'Give attempts back at the end of the program that held them',
        description:
          'Nobody is charged, and their tasks go on elsewhere from their last checkpoints. For a program that ends ' +
          'in order beside its socket, as a web page does that is closed. It is no sign of life, and ends the ' +
          'socket on which one of them was still held.',
        params: workerId,
        body: giveBackSchema,
        response: {
          200: json(reportAnswerSchema, 'What became of each of them'),
          ...refused(refusals, ownExamples(limits.bodyBytes, 'body_bytes')),
        },
      },
    },
    async (request) => {
      const token = neededToken(request);
      const { worker_id: id } = request.params;
      const { pullWorkers } = portsOf(coordinator, request);
      const isWorker = pullWorkers.hasWorked(id, token);
      const body = await readJsonBody(request, { ...lists, isWorker });
      const { attempts } = validated(giveBackSchema, body, 'The body');
      const answer = accepted(await pullWorkers.giveBack(id, token, attempts));
      return { accepted: [...answer.accepted], rejected: [...answer.rejected] };
    },
  );
}

/**
 * The bad entries of a report for its answer. Each one that names its attempt is answered by itself; of
 * those that name none, `mostNameless` are answered and the others are counted.
 */
class BadEntries {
  private readonly entries: BadEntry[] = [];
  private nameless = 0;
  private lastNameless: BadEntry | null = null;

  add(entry: BadEntry): void {
    if (entry.task_id !== null && entry.attempt !== null) this.entries.push(entry);
    else if (++this.nameless <= mostNameless) this.entries.push(entry);
    else this.lastNameless = entry;
  }

  told(): readonly BadEntry[] {
    if (this.lastNameless === null) return this.entries;
    const count = this.nameless - mostNameless;
    const detail = `${this.lastNameless.detail} (${count} entries that name no attempt are told as this one.)`;
    return [...this.entries, { ...this.lastNameless, detail }];
  }
}

const mostNameless = 20;

/**
 * A schema takes microseconds for each attempt, and the list may have thousands. So a quick check goes
 * over the list, and the schema over the rest.
 */
function heartbeatOf(body: unknown, schema: ReturnType<typeof heartbeatCallSchema>) {
  const { running } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(running)) return validated(schema, body, 'The body');
  const rest = validated(schema, { ...(body as object), running: [] }, 'The body');
  const problem = entryProblem(heartbeatAttemptSchema, isHeartbeatAttempt, running, 'running');
  if (problem !== null) throw new Refusal('validation_failed', problem);
  return { ...rest, running: running as readonly HeartbeatAttempt[] };
}

/** Writes an assignment; its payloads are JSON text already. */
function assignmentText({ input, program, checkpoint, ...rest }: ClaimedAssignment): string {
  const head = JSON.stringify(rest).slice(0, -1);
  const what = `"input":${payloadText(input)},"program":${programJson(program)}`;
  return `${head},${what},"checkpoint":${checkpointText(checkpoint)}}`;
}

function checkpointText(checkpoint: ClaimedAssignment['checkpoint']): string {
  if (checkpoint === undefined) return 'null';
  const { sequence, progress, state } = checkpoint;
  return `{"sequence":${sequence},"progress":${progress},"state":${payloadText(state)}}`;
}
