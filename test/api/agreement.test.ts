// The schemas and the hand-written wire types are the same thing. The compiler says so: a
// disagreement is a type error in this file.

import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { AlgorithmId, CriterionId } from '../../src/core/snapshot.ts';
import type { Counters } from '../../src/protocol/counters.ts';
import type { ErrorBody } from '../../src/protocol/errors.ts';
import type * as runs from '../../src/protocol/evaluation.ts';
import type * as messages from '../../src/protocol/messages.ts';
import type * as notifications from '../../src/protocol/notifications.ts';
import type * as wire from '../../src/protocol/resources.ts';
import type { SchedulingInfo } from '../../src/protocol/scheduling-info.ts';
import type * as workers from '../../src/protocol/workers.ts';
import type { errorBodySchema } from '../../src/protocol/schemas/refusal.ts';
import type * as resources from '../../src/protocol/schemas/resources.ts';
import type { taskMapSchema } from '../../src/protocol/schemas/job-tasks.ts';
import type * as evaluation from '../../src/protocol/schemas/evaluation.ts';
import type { eventSchemas } from '../../src/protocol/schemas/events.ts';
import type { coordinatorMessageSchemas } from '../../src/protocol/schemas/coordinator-messages.ts';
import type { schedulingInfoSchema } from '../../src/protocol/schemas/scheduling-info.ts';
import type * as task from '../../src/protocol/schemas/task.ts';
import type * as calls from '../../src/protocol/schemas/worker-calls.ts';
import type { WireEventType } from '../../src/coordinator/streams/wire-events.ts';
import type * as port from '../../src/coordinator/port/workers.ts';
import type { algorithmNames, weightsSchema } from '../../src/protocol/schemas/scheduler.ts';
import type { JobHeadSubmission, SubmissionBody } from '../../src/protocol/schemas/submission.ts';
import type { telemetrySchema } from '../../src/protocol/schemas/telemetry.ts';
import type {
  byeSchema,
  heartbeatSchema,
  helloSchema,
  reportSchemas,
} from '../../src/protocol/schemas/worker-messages.ts';

type Agree<A, B> = [Frozen<A>] extends [Frozen<B>]
  ? [Frozen<B>] extends [Frozen<A>]
    ? true
    : { readonly missing: B }
  : { readonly surplus: A };

/** Schemas infer mutable types, the wire types are read-only: compare both frozen. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

type Report<K extends keyof typeof reportSchemas> = z.infer<(typeof reportSchemas)[K]>;
type Told<K extends keyof typeof coordinatorMessageSchemas> = z.infer<
  (typeof coordinatorMessageSchemas)[K]
>;
/** Telemetry is not checked by the wire types, see `telemetry.ts`. */
type Untold<T> = Omit<T, 'telemetry'>;

const proofs: readonly true[] = [
  agree<z.infer<typeof resources.statsSchema>, wire.SystemStats>(true),
  agree<z.infer<typeof resources.storeHealthSchema>, wire.StoreHealth>(true),
  agree<z.infer<typeof resources.jobSummarySchema>, wire.JobSummary>(true),
  agree<z.infer<typeof resources.taskEntrySchema>, wire.TaskEntry>(true),
  agree<z.infer<typeof resources.jobDetailSchema>, wire.JobDetail>(true),
  agree<z.infer<typeof resources.jobNotificationSchema>, notifications.JobNotification>(true),
  agree<z.infer<typeof resources.taskResultSchema>, wire.TaskResult>(true),
  agree<z.infer<typeof resources.workerSchema>, workers.WorkerResource>(true),
  agree<z.infer<typeof resources.workerFailureSchema>, workers.WorkerFailure>(true),
  agree<z.infer<typeof task.taskDetailSchema>, wire.TaskDetail>(true),
  agree<z.infer<typeof task.checkpointSchema>, wire.CheckpointRecord>(true),
  agree<z.infer<typeof task.recoveryEventSchema>, wire.RecoveryEvent>(true),
  agree<z.infer<typeof schedulingInfoSchema>, SchedulingInfo>(true),
  agree<z.infer<typeof evaluation.evaluationMetricsSchema>, runs.EvaluationMetrics>(true),
  agree<z.infer<typeof evaluation.loadDistributionSchema>, runs.LoadDistribution>(true),
  agree<z.infer<typeof evaluation.attemptHistorySchema>, runs.AttemptHistory>(true),
  agree<z.infer<typeof taskMapSchema>, wire.TaskMap>(true),
  agree<z.infer<typeof evaluation.throughputHistorySchema>, runs.ThroughputHistory>(true),
  agree<z.infer<typeof evaluation.workerPerformanceSchema>, runs.WorkerPerformance>(true),
  agree<z.infer<typeof calls.registeredSchema>, port.Registered>(true),
  agree<z.infer<typeof calls.acceptedReportSchema>, messages.AcceptedReport>(true),
  agree<
    z.infer<typeof calls.heartbeatCallAnswerSchema>,
    Omit<messages.HeartbeatAnswer, 'heartbeat_id'>
  >(true),
  agree<keyof typeof coordinatorMessageSchemas, messages.CoordinatorMessage['type']>(true),
  agree<Told<'welcome'>, messages.WelcomeMessage>(true),
  agree<Told<'assign'>, messages.AssignMessage>(true),
  agree<Told<'ack'>, messages.AckMessage>(true),
  agree<Told<'cancel'>, messages.CancelMessage>(true),
  agree<Told<'revoke'>, messages.RevokeMessage>(true),
  agree<Told<'recall'>, messages.RecallMessage>(true),
  agree<Told<'drain'>, messages.DrainMessage>(true),
  agree<Told<'greet'>, messages.GreetMessage>(true),
  agree<Told<'ping'>, messages.PingMessage>(true),
  agree<Told<'deregistered'>, messages.DeregisteredMessage>(true),
  agree<Told<'error'>, messages.ErrorMessage>(true),
  agree<keyof typeof eventSchemas, WireEventType>(true),
  agree<z.infer<(typeof eventSchemas)['counters']>, Counters>(true),
  agree<SubmissionBody, wire.JobSubmission>(true),
  agree<JobHeadSubmission, Omit<wire.JobSubmission, 'inputs'>>(true),
  agree<z.infer<typeof errorBodySchema>, ErrorBody>(true),
  agree<(typeof algorithmNames)[number], AlgorithmId>(true),
  agree<keyof z.infer<typeof weightsSchema>, CriterionId>(true),
  agree<z.infer<typeof telemetrySchema>, messages.Telemetry>(true),
  agree<Report<'started'>, messages.AttemptRef>(true),
  agree<Report<'release'>, messages.AttemptRef>(true),
  agree<Report<'progress'>, messages.ProgressMessage['progress'][number]>(true),
  agree<Report<'checkpoint'>, messages.CheckpointMessage['checkpoints'][number]>(true),
  agree<Report<'result'>, messages.ResultReport>(true),
  agree<Report<'failure'>, messages.FailureReport>(true),
  agree<Report<'refusal'>, messages.RefusalMessage['refusals'][number]>(true),
  agree<Untold<z.infer<typeof heartbeatSchema>>, Untold<messages.HeartbeatMessage>>(true),
  agree<Untold<z.infer<ReturnType<typeof helloSchema>>>, Untold<messages.HelloMessage>>(true),
  agree<z.infer<typeof byeSchema>, messages.ByeMessage>(true),
];

test('schemas and wire types agree, as the compiler has proved', () => {
  expect(proofs).not.toContain(false);
});

function agree<A, B>(proof: Agree<A, B>): Agree<A, B> {
  return proof;
}
