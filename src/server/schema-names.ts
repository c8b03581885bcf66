// Names of schemas in the published document. A schema with a `title` becomes a component of that name,
// wherever it stands, so that generated clients have a type of that name. Schemas that depend on limits
// have their title where they are made; those that are constants have it here.

import { z } from 'zod';
import { auditEntrySchema } from '../protocol/schemas/audit.ts';
import { clusterMemberSchema, clusterSchema } from '../protocol/schemas/cluster.ts';
import { etaSchema } from '../protocol/schemas/estimates.ts';
import * as evaluation from '../protocol/schemas/evaluation.ts';
import * as explanations from '../protocol/schemas/explanations.ts';
import { errorBodySchema } from '../protocol/schemas/refusal.ts';
import {
  jobErrorsSchema,
  taskListingSchema,
  taskMapSchema,
} from '../protocol/schemas/job-tasks.ts';
import * as quotas from '../protocol/schemas/quotas.ts';
import * as resources from '../protocol/schemas/resources.ts';
import * as scheduler from '../protocol/schemas/scheduler.ts';
import { rankedWorkerSchema, schedulingInfoSchema } from '../protocol/schemas/scheduling-info.ts';
import * as task from '../protocol/schemas/task.ts';
import { telemetrySchema } from '../protocol/schemas/telemetry.ts';
import * as tokens from '../protocol/schemas/tokens.ts';
import { workerSeriesSchema } from '../protocol/schemas/worker-series.ts';
import * as calls from '../protocol/schemas/worker-calls.ts';

const namedSchemas: Readonly<Record<string, z.ZodType>> = {
  SystemStats: resources.statsSchema,
  JobSummary: resources.jobSummarySchema,
  ListedJob: resources.listedJobSchema,
  JobDetail: resources.jobAnswerSchema,
  JobEta: etaSchema,
  TaskCounts: resources.taskCountsSchema,
  DeletedJob: resources.deletedJobSchema,
  Blob: resources.blobSchema,
  JobErrors: jobErrorsSchema,
  TaskMap: taskMapSchema,
  JobNotification: resources.jobNotificationSchema,
  TaskListing: taskListingSchema,
  TaskEntry: resources.taskEntrySchema,
  TaskResult: resources.taskResultSchema,
  TaskDetail: task.taskDetailSchema,
  AttemptEntry: task.attemptEntrySchema,
  TaskExplanation: explanations.taskExplanationSchema,
  Checkpoint: task.checkpointSchema,
  RecoveryEvent: task.recoveryEventSchema,
  Worker: resources.workerSchema,
  Telemetry: telemetrySchema,
  WorkerSeries: workerSeriesSchema,
  WorkerDetail: resources.workerDetailSchema,
  WorkerFailure: resources.workerFailureSchema,
  Deregistration: resources.deregistrationSchema,
  RefusedWorker: resources.refusalSchema,
  SchedulerConfig: scheduler.schedulerConfigSchema,
  SchedulerHistoryEntry: scheduler.schedulerHistoryEntrySchema,
  SchedulerChange: scheduler.schedulerChangeSchema,
  SchedulingInfo: schedulingInfoSchema,
  RankedWorker: rankedWorkerSchema,
  Criterion: explanations.criterionDescriptionSchema,
  SchedulerPreview: explanations.schedulerPreviewSchema,
  EvaluationMetrics: evaluation.evaluationMetricsSchema,
  LoadDistribution: evaluation.loadDistributionSchema,
  AttemptHistory: evaluation.attemptHistorySchema,
  ExportedAttempt: evaluation.exportedAttemptSchema,
  ThroughputHistory: evaluation.throughputHistorySchema,
  WorkerPerformance: evaluation.workerPerformanceSchema,
  RegisteredWorker: calls.registeredSchema,
  HeartbeatAnswer: calls.heartbeatCallAnswerSchema,
  StopOrder: calls.stopOrderSchema,
  Assignments: calls.claimAnswerSchema,
  Assignment: calls.claimedAssignmentSchema,
  Report: calls.reportSchema,
  GivenBack: calls.giveBackSchema,
  ReportAnswer: calls.reportAnswerSchema,
  AcceptedReport: calls.acceptedReportSchema,
  RejectedReport: calls.rejectedReportSchema,
  AuditEntry: auditEntrySchema,
  Token: tokens.tokenSchema,
  NewToken: tokens.newTokenSchema,
  QuotaAsked: quotas.quotaAskedSchema,
  QuotaChange: quotas.quotaChangeSchema,
  QuotaUse: quotas.quotaUseSchema,
  JoinLink: tokens.joinLinkSchema,
  Join: tokens.joinSchema,
  SessionAsked: tokens.sessionAskedSchema,
  Session: tokens.sessionSchema,
  CurrentSession: tokens.currentSessionSchema,
  SessionEnd: tokens.sessionEndSchema,
  Ticket: tokens.ticketSchema,
  Cluster: clusterSchema,
  ClusterMember: clusterMemberSchema,
  ClearedDatabase: resources.clearedSchema,
  Readiness: resources.readinessSchema,
  Health: resources.healthSchema,
  Error: errorBodySchema,
};

// The registry that holds descriptions and examples takes the names too.
for (const [title, schema] of Object.entries(namedSchemas)) {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), title });
}

type Json = Readonly<Record<string, unknown>>;

const isName = /^[A-Z][A-Za-z]+$/;
/** What lies below is a value, not a schema. */
const values = new Set(['example', 'examples', 'default', 'const', 'enum']);

/**
 * The schemas with a name, and the paths with references to them. What is asked allows fields that are not
 * known where an answer has none: the first of two that differ so is called `…Input`.
 */
export function namedComponents(paths: Json): { paths: Json; schemas: Json } {
  const found = new Map<string, Json>();

  function replaced(value: unknown, isInput: boolean): unknown {
    if (Array.isArray(value)) return value.map((each) => replaced(each, isInput));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [
      key,
      values.has(key) ? inner : replaced(inner, isInput || key === 'requestBody'),
    ]);
    const node = Object.fromEntries(entries) as Json;
    const { title, ...schema } = node;
    if (typeof title !== 'string' || !isName.test(title)) return node;
    return {
      $ref: `#/components/schemas/${place(title, schema, isInput)}`,
      ...remark(title, schema),
    };
  }

  function place(title: string, schema: Json, isInput: boolean): string {
    for (const name of [title, ...(isInput ? [`${title}Input`] : [])]) {
      const known = found.get(name);
      if (known === undefined) found.set(name, schema);
      if (known === undefined || isSame(known, schema)) return name;
    }
    throw new Error(`Two schemas of the published document have the title ${title}.`);
  }

  /** A description of its own, where the schema has another. */
  function remark(title: string, { description }: Json): Json {
    const isOwn = description !== undefined && found.get(title)?.['description'] !== description;
    return isOwn ? { description } : {};
  }

  // Answers first: they take the plain names.
  const answers = replacedAnswers(paths, (value) => replaced(value, false));
  const all = replaced(answers, false) as Json;
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return { paths: all, schemas: Object.fromEntries(sorted) };
}

function replacedAnswers(paths: Json, replaced: (value: unknown) => unknown): Json {
  return mapped(paths, (methods) =>
    mapped(methods as Json, (operation) => {
      const { responses, ...rest } = operation as Json;
      return { ...rest, responses: replaced(responses) };
    }),
  );
}

function mapped(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function isSame(a: Json, b: Json): boolean {
  const bare = (schema: Json) => JSON.stringify({ ...schema, description: '', examples: [] });
  return bare(a) === bare(b);
}
