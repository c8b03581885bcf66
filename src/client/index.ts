// The SDK's door.

export {
  type CallOptions,
  type Cleared,
  connect,
  type ConnectOptions,
  type DeletedJob,
  type Deregistration,
  type DrainOptions,
  type ErrorsOptions,
  type ExplainOptions,
  type FailuresOptions,
  type LimitsResource,
  type MusterClient,
  type RefusedWorker,
  type TaskMapOptions,
  type TasksFilter,
  type WorkersFilter,
} from './connect.ts';
export type { OutputOptions } from './debugging.ts';
export type { BlobBytes, BlobOptions, BlobRef } from './blobs.ts';
export {
  ConnectionError,
  JobCancelledError,
  MusterError,
  NotJsonError,
  ProgramError,
  type ProgramProblem,
  TaskError,
} from './errors.ts';
export type {
  AttemptHistory,
  AttemptsFilter,
  EvaluationClient,
  EvaluationMetrics,
  EvaluationPeriod,
  ExportedAttempt,
  ExportFilter,
  HistoryPeriod,
  LoadDistribution,
  ThroughputHistory,
  WorkerPerformance,
} from './evaluation.ts';
export type { EventsOptions, EventType, MusterEvent } from './events.ts';
export {
  command,
  type CommandOptions,
  type ForeignProgram,
  type ProgramBytes,
  python,
  type PythonOptions,
  wasm,
  type WasmOptions,
} from './programs.ts';
export type { FollowedJob } from './followed-job.ts';
export type { JobHead } from './job-head.ts';
export type { JobsFilter } from './job-list.ts';
export type { InputRange } from './input-source.ts';
export type { Json, NotJson, Payload } from './json-type.ts';
export type { MapInputs, MapJob, MapOutcome, MapProgram, MapResult } from './map.ts';
export type { MapOptions, MapProgress } from './map-options.ts';
export type { PrintedOptions, PrintedText } from './printed.ts';
export type { Exact } from './request.ts';
export type { ResultLine } from './result-line.ts';
export type { ResultsOptions } from './results.ts';
export type {
  AlgorithmId,
  PreviewRequest,
  SchedulerChange,
  SchedulerClient,
  SchedulerConfigResource,
  SchedulerHistoryEntry,
} from './scheduler.ts';
export type { StreamedJob, SubmitOptions, SubmittedJob } from './submit.ts';
export type { ProgramSource, SentAlong, TaskContext, TaskFunction } from './task-function.ts';
export type { AuditFilter } from './audit.ts';
export type { ClusterMember, ClusterResource } from '../protocol/cluster.ts';
export type { QuotaUse } from './quotas.ts';
export type { SessionResource } from './session.ts';
export type { JoinLinkAsked, NewToken, TokenAsked, TokenClient } from './tokens.ts';
export type { TokenSource } from './request.ts';
export type {
  CriterionDescription,
  DecisionExplanation,
  SchedulerPreview,
  StoryLine,
  TaskExplanation,
  TaskWaiting,
  WaitingWorker,
} from '../protocol/explanations.ts';
export type { WorkerSeries, WorkerSeriesName } from '../protocol/worker-series.ts';
export type { JobRequirements } from '../protocol/job-options.ts';
export type { JobNotification } from '../protocol/notifications.ts';
export type { AuditResource as AuditEntry } from '../protocol/audit.ts';
export type { JoinLinkResource, TokenResource } from '../protocol/tokens.ts';
export type {
  AttemptEntry,
  CheckpointRecord,
  JobDetail,
  JobErrorKind,
  JobErrors,
  JobStatus,
  JobSubmission,
  JobSummary,
  RecoveryEvent,
  SystemStats,
  TaskCounts,
  TaskDetail,
  TaskEntry,
  TaskFault,
  TaskInput,
  TaskListing,
  TaskMap,
  TaskResult,
  TaskStatus,
} from '../protocol/resources.ts';
export type {
  LastDecision,
  RankedWorkerResource,
  SchedulingInfo,
} from '../protocol/scheduling-info.ts';
export type {
  WorkerAttempt,
  WorkerDetail,
  WorkerFailure,
  WorkerResource,
  WorkerStatus,
} from '../protocol/workers.ts';
