// The SDK's door.

export {
  type CallOptions,
  connect,
  type ConnectOptions,
  type Deregistration,
  type JobsFilter,
  type MusterClient,
} from './connect.ts';
export { ConnectionError, MusterError } from './errors.ts';
export type { JobHead } from './job-head.ts';
export type { ResultsOptions } from './results.ts';
export type { SchedulerChange, SchedulerClient, SchedulerConfigResource } from './scheduler.ts';
export type { StreamedJob, SubmitOptions } from './submit.ts';
export type {
  JobDetail,
  JobRequirements,
  JobStatus,
  JobSubmission,
  JobSummary,
  SystemStats,
  TaskCounts,
  TaskEntry,
  TaskResult,
  TaskStatus,
  WorkerFailure,
  WorkerResource,
  WorkerStatus,
} from '../protocol/resources.ts';
