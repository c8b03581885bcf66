// Workers: what operators do with them, what they say on a socket, and what they call over plain HTTP.

import type {
  AcceptedReport,
  Assignment,
  AttemptRef,
  DeviceDescription,
  HeartbeatAnswer,
  HeartbeatMessage,
  JobDescription,
  RejectedReport,
  WorkerMessage,
} from '../../protocol/messages.ts';
import type { WorkerResource } from '../../protocol/workers.ts';
import type { Result } from './rejection.ts';
import type { Bearer } from './tokens.ts';

/** For operators. */
export interface WorkerPort {
  /**
   * `deadlineMs`: after so long, what the worker still has is given to others; null: never. Left out: as it is,
   * never at first.
   */
  drain(workerId: string, deadlineMs?: number | null): Promise<Result<WorkerResource>>;
  resume(workerId: string): Promise<Result<WorkerResource>>;
  /** Whether nobody has let it in yet. */
  isWaiting(workerId: string): boolean;
  /** Lets in a worker that waits for it; changes nothing when it is in. */
  approve(workerId: string): Promise<Result<WorkerResource>>;
  /** Removes a worker that waits; rejects one that is in. */
  refuse(workerId: string): Promise<Result<null>>;
  /** The name wins over what the worker says of itself. */
  rename(workerId: string, name: string): Promise<Result<WorkerResource>>;
  /** Resolves with the number of attempts that were requeued. */
  deregister(workerId: string): Promise<Result<{ readonly requeuedTasks: number }>>;
}

/** For workers that have a connection. */
export interface SessionPort {
  /** `bearer`: who has opened the connection; null where no tokens are needed. `address`: from where. */
  open(sink: SessionSink, bearer?: Bearer | null, address?: string | null): WorkerSession;
  /**
   * Of a connection that is at another member of the cluster: assignments come bare (`protocol/bare-assign.ts`), and
   * what they need is read there.
   */
  openElsewhere(sink: SessionSink, bearer: Bearer | null): SessionElsewhere;
  /** The state of this checkpoint of the task was found not to be readable where such a connection is. */
  foundDamaged(taskId: string, checkpointId: number): void;
}

/** Where the frames of one worker's connection go. */
export interface SessionSink {
  send(frame: string): void;
  /** While the worker has much to read, this ends when it has read most of it, or is gone. Absent: it never has. */
  caughtUp?(): Promise<void> | undefined;
  /** Ends the connection after what was sent; by the usual code if none is given. */
  close(reason: string, code?: number): void;
}

/** One connection of one worker. */
export interface WorkerSession {
  /** Set by an accepted hello, before anything is sent on the connection. */
  readonly workerId: string | null;
  /** The worker had completed or failed a task when its newest decided frame was answered. */
  readonly hasWorked: boolean;
  /**
   * Validated messages of one frame, which had so many bytes, in order. The first of a session must be
   * `hello`. They are always accepted; the caller should stop reading frames while the coordinator is crowded.
   */
  receive(messages: readonly WorkerMessage[], bytes?: number): void;
  /** The connection is gone. `isCut`: the way to it is, and the worker knows nothing of that yet. */
  closed(isCut?: boolean): void;
}

/** One whose connection is at another member. */
export interface SessionElsewhere extends WorkerSession {
  /** Something that the attempt needs cannot be read, so it was not sent. */
  unreadable(ref: Pick<AttemptRef, 'task_id' | 'token'>, problem: string): void;
}

/** For workers over plain HTTP. Every call renews the lease of its worker. */
export interface PullWorkerPort {
  /** `bearer`: who has called; null where no tokens are needed. */
  register(registration: Registration, bearer?: Bearer | null): Promise<Result<Registered>>;
  /** Rejects an unknown or removed worker, or a token that is not its own. */
  heartbeat(
    workerId: string,
    token: string,
    message: PulledHeartbeat,
  ): Promise<Result<Omit<HeartbeatAnswer, 'heartbeat_id'>>>;
  /** Answers as soon as there is something, at the latest after `waitMs`. */
  claim(
    workerId: string,
    token: string,
    how: { readonly max: number; readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<Result<readonly ClaimedAssignment[]>>;
  /** Resolves after the commit; one bad entry does not spoil the others. */
  report(
    workerId: string,
    token: string,
    messages: readonly WorkerMessage[],
  ): Promise<Result<ReportAnswer>>;
  /**
   * The program that held these attempts ends in order: nobody is charged for them. The only call that is no sign of
   * life. A socket on which it still held one of them is ended.
   */
  giveBack(
    workerId: string,
    token: string,
    refs: readonly AttemptRef[],
  ): Promise<Result<ReportAnswer>>;
  /**
   * Whether the token is the worker's own, and it has completed or failed a task. Asked before a call is
   * read; the call itself is checked when it is decided.
   */
  hasWorked(workerId: string, token: string): boolean;
}

/** A heartbeat over plain HTTP. */
export interface PulledHeartbeat
  extends Pick<HeartbeatMessage, 'running' | 'rest' | 'lease_seconds'> {
  readonly telemetry: unknown;
}

/** A worker over plain HTTP, as it describes itself. */
export interface Registration {
  readonly device: DeviceDescription;
  /** What makes no sense in it is named in the warnings. */
  readonly telemetry?: unknown;
}

export interface Registered {
  readonly worker_id: string;
  readonly worker_token: string;
  readonly heartbeat_interval_seconds: number;
  readonly lease_seconds: number;
  /** It is given nothing before a person has let it in. */
  readonly waiting_for_approval?: true;
  /** Measurements that could not be used, and why. */
  readonly warnings?: readonly string[];
}

export interface ClaimedAssignment extends Assignment, JobDescription {
  readonly lease_seconds: number;
}

export interface ReportAnswer {
  readonly accepted: readonly AcceptedReport[];
  readonly rejected: readonly RejectedReport[];
}
