// Messages between a worker and the coordinator over the socket `/api/workers/connect`. A frame is
// UTF-8 JSON text: one message, or an array of messages. Everything that belongs to attempts travels
// in arrays, so that a thousand short tasks cost one frame. Names on the wire are snake_case.

import type { ProgramKind } from './program.ts';
import type { Rest } from './resting.ts';

export const protocolVersion = 1;

/** The fence: a report counts only when all three match the coordinator's record. */
export interface AttemptRef {
  readonly task_id: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Random, known to this worker alone. */
  readonly token: string;
}

/** A value that is out of range or missing is null; the coordinator says so in `warnings`. */
export interface Telemetry {
  readonly cpu_load_percent?: number | null;
  readonly cpu_load_source?: string | null;
  readonly cpu_cores?: number | null;
  readonly ram_available_mb?: number | null;
  readonly ram_total_mb?: number | null;
  readonly battery_level_percent?: number | null;
  readonly battery_charging?: boolean | null;
  readonly network_latency_ms?: number | null;
  readonly network_bandwidth_mbps?: number | null;
  readonly network_type?: string | null;
  readonly metered?: boolean | null;
  readonly power_watts?: number | null;
  readonly energy_source?: string | null;
  readonly visibility?: string | null;
}

export interface DeviceDescription {
  readonly name?: string | null;
  /** `pc`, `android_node`, `browser`, … */
  readonly type: string;
  /** `linux`, `darwin`, `win32`, `android`, … */
  readonly platform: string;
  readonly slots?: number;
  /** `javascript`, `wasm`, `python`, `command:<name>`. */
  readonly kinds?: readonly string[];
  /** For people: of what version that is which runs a kind, by kind. */
  readonly runtimes?: Readonly<Record<string, string>>;
  /** What it hands to tasks beside inputs in JSON: `bytes`, `shared`. Absent: nothing. */
  readonly hands?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly isolation?: string;
  /** Of its program, like `0.1.0`. */
  readonly version?: string;
  /** The lease that it asks for, when it cannot send heartbeats as often as others. */
  readonly lease_seconds?: number;
  /** The most memory that it gives one task. Absent: what every worker gives. */
  readonly task_memory_mb?: number;
}

// ---- worker → coordinator

/** First message on a socket, and answer to `greet`. `attempts` is exact: what is not listed is not held. */
export interface HelloMessage {
  readonly type: 'hello';
  readonly protocol: number;
  /** When both are given the same worker comes back; when both are absent it registers. */
  readonly worker_id?: string;
  readonly worker_token?: string;
  readonly device: DeviceDescription;
  readonly telemetry?: Telemetry;
  readonly attempts: readonly HeldAttempt[];
  /** Absent: the worker keeps none, and every frame brings the sources of its programs. */
  readonly programs?: KeptPrograms;
  /** As in a heartbeat. */
  readonly draining?: boolean;
  /** As in a heartbeat. With it the lease for now, if one is in force, stays in force. */
  readonly rest?: Rest;
  /** Which start of the worker this is: random, and new with every start. Comes with `connection`. */
  readonly instance?: string;
  /** Of this instance the how-manieth `hello`, from 1: the highest is the newest, whichever comes first. */
  readonly connection?: number;
  /** The number of the `greet` that this answers. Absent in the first `hello` on a socket. */
  readonly greeting?: number;
}

/**
 * Programs that the worker keeps, in the order of their use by the assignments that came: the first
 * assignment of a job in a frame counts. When there are too many it forgets the longest unused first, never
 * the newest (`program-shelf.ts`).
 */
export interface KeptPrograms {
  /** Most programs that it keeps. */
  readonly most: number;
  /** Most characters of all sources together, in UTF-16 units. */
  readonly most_characters: number;
  /** The longest unused program first; the oldest may be left out. */
  readonly kept: readonly { readonly sha256: string; readonly characters: number }[];
}

export interface HeldAttempt extends AttemptRef {
  /** `finished`: its report is not acknowledged yet and will be sent again after `welcome`. */
  readonly state: 'queued' | 'running' | 'finished';
  /** How long it has run, for `running`: its time limit goes on and does not begin again. */
  readonly run_ms?: number;
}

export interface HeartbeatMessage {
  readonly type: 'heartbeat';
  /** Returned in the answer; the worker measures the round trip by it. */
  readonly heartbeat_id: number;
  readonly telemetry: Telemetry;
  /** Sequence of the newest `assign` received, 0 before the first. */
  readonly assign_sequence: number;
  /** Attempts held for longer than one interval; younger ones may be left out. */
  readonly running: readonly HeartbeatAttempt[];
  /** True: the worker is *leaving* (`leaving.ts`): nothing more is assigned to it, and `bye` follows. */
  readonly draining?: boolean;
  /** Present exactly while the worker rests (`resting.ts`): nothing is assigned to it meanwhile. */
  readonly rest?: Rest;
  /**
   * The lease for now, for a device that may fall asleep: it holds for silence and for a closed connection.
   * Absent: the lease of its `hello`.
   */
  readonly lease_seconds?: number;
}

export interface HeartbeatAttempt extends AttemptRef {
  readonly progress?: number;
  readonly checkpoint_sequence?: number;
}

/** Sent for attempts that still run after some milliseconds; a short one goes straight to `result`. */
export interface StartedMessage {
  readonly type: 'started';
  readonly started: readonly AttemptRef[];
}

export interface ProgressMessage {
  readonly type: 'progress';
  readonly progress: readonly (AttemptRef & {
    /** 0 to 1. */
    readonly progress: number;
    readonly message?: string | null;
  })[];
}

/** What attempts print, while they run; only of jobs that ask for it. It may be lost. */
export interface OutputMessage {
  readonly type: 'output';
  readonly outputs: readonly OutputReport[];
}

export interface OutputReport extends AttemptRef {
  readonly text: string;
  /** Characters that were printed before this text and are not told: it was too much. */
  readonly left_out?: number;
}

export interface CheckpointMessage {
  readonly type: 'checkpoint';
  readonly checkpoints: readonly CheckpointReport[];
}

/**
 * One of `state`, `state_gzip` and `state_blob` holds the state. With the latter two come `sha256`
 * and `size_bytes`.
 */
export interface CheckpointReport extends AttemptRef {
  /** Counts within the attempt, from 1; only rises. */
  readonly sequence: number;
  /** 0 to 1. */
  readonly progress: number;
  readonly state?: unknown;
  /** Base64 of the gzipped JSON text of the state. */
  readonly state_gzip?: string;
  /** Hash of a blob, uploaded before, that holds the gzipped JSON text of the state. */
  readonly state_blob?: string;
  /** SHA-256 of the JSON text, hex. */
  readonly sha256?: string;
  /** Size of the JSON text. */
  readonly size_bytes?: number;
  /** How long this attempt had run. */
  readonly run_ms?: number;
}

export interface ResultMessage {
  readonly type: 'result';
  readonly results: readonly ResultReport[];
}

export interface ResultReport extends AttemptRef {
  readonly value: unknown;
  /** Hashes of blobs, uploaded before, that the value names inside of it: they stay as long as the job. */
  readonly blobs?: readonly string[];
  /** Time from start to end as the executor measured it. */
  readonly run_ms?: number;
  readonly cpu_seconds?: number;
  readonly energy_joules?: number;
  /** What the attempt printed, if the job keeps it. */
  readonly output?: string;
}

export interface FailureMessage {
  readonly type: 'failure';
  readonly failures: readonly FailureReport[];
}

export interface FailureReport extends AttemptRef {
  readonly error_type: string;
  readonly error_message: string;
  /** Frames of the program, innermost first, a line for each: `at total (program:3:14)`. */
  readonly error_stack?: string;
  /** False: trying again cannot help (a program that does not parse). Default true. */
  readonly retryable?: boolean;
  readonly run_ms?: number;
  readonly cpu_seconds?: number;
  readonly output?: string;
}

export interface RefusalMessage {
  readonly type: 'refusal';
  readonly refusals: readonly (AttemptRef & { readonly reason: string })[];
}

/**
 * Answer to `recall`: these attempts were not begun and never will be. Also sent when the worker drains or
 * leaves, and for attempts whose program it does not have.
 */
export interface ReleaseMessage {
  readonly type: 'release';
  readonly releases: readonly ReleaseReport[];
}

export interface ReleaseReport extends AttemptRef {
  /** Hash of the program that is not kept here, whatever the coordinator thinks. */
  readonly lacks?: string;
}

/** The worker leaves for now; the attempts that it still held are released. */
export interface ByeMessage {
  readonly type: 'bye';
  readonly reason: string;
}

export type WorkerMessage =
  | HelloMessage
  | HeartbeatMessage
  | StartedMessage
  | ProgressMessage
  | OutputMessage
  | CheckpointMessage
  | ResultMessage
  | FailureMessage
  | RefusalMessage
  | ReleaseMessage
  | ByeMessage;

// ---- coordinator → worker

export interface WelcomeMessage {
  readonly type: 'welcome';
  readonly protocol: number;
  readonly worker_id: string;
  /** Only in answer to a new registration; keep it, it is not told again. */
  readonly worker_token?: string;
  readonly heartbeat_interval_seconds: number;
  /** A worker that is silent for so long is taken for lost. */
  readonly lease_seconds: number;
  readonly drain: boolean;
  /** It is given nothing before a person has let it in; then `approved` follows. */
  readonly waiting_for_approval?: true;
  /** What the operator calls this coordinator; absent when it has no name. */
  readonly coordinator_name?: string;
  /** Where other coordinators of its cluster are reached, best first; absent when there are none. */
  readonly coordinators?: readonly string[];
  /** Held attempts that are no longer wanted. All others named in `hello` are adopted. */
  readonly stop: readonly StopOrder[];
  /** What of the `hello` was not read, and why; absent when there is nothing to say. */
  readonly warnings?: readonly string[];
}

export interface StopOrder {
  readonly task_id: string;
  readonly attempt: number;
  readonly reason: string;
}

/** With neither `source` nor `definition` it is one that the worker keeps. */
export interface ProgramDescription {
  readonly kind: ProgramKind;
  /** SHA-256, hex: the same program and shared value, the same hash. Absent: from an older coordinator. */
  readonly sha256?: string;
  /** Of a program in JavaScript: its module. */
  readonly source?: string;
  /** A program of another kind, as it was submitted. Its blobs are fetched by the worker. */
  readonly definition?: unknown;
  /** The value that all tasks of the job share; it may refer to a blob. Absent beside a program: none. */
  readonly shared?: unknown;
}

export interface AssignMessage {
  readonly type: 'assign';
  /** Rises by one per frame on this connection. */
  readonly sequence: number;
  /** What belongs to the jobs of these assignments, by job id. */
  readonly programs: Readonly<Record<string, JobDescription>>;
  readonly assignments: readonly Assignment[];
}

/** What is the same for every task of a job. */
export interface JobDescription {
  readonly program: ProgramDescription;
  readonly attempt_timeout_seconds: number | null;
  readonly checkpoint_interval_seconds: number | null;
  /** When a report brings what the attempt printed. Absent: only a failure does. */
  readonly keep_output?: 'on_failure' | 'always' | 'never';
  /** True: what an attempt prints is wanted while it runs, as `output`. */
  readonly live_output?: boolean;
  /** What an attempt may take; absent: 512. */
  readonly memory_mb?: number;
}

export interface Assignment extends AttemptRef {
  readonly job_id: string;
  /** Whose job it is, 1 to 200 characters. Absent: from an older coordinator, which has one owner. */
  readonly owner?: string;
  readonly index: number;
  /** Of what waits at the worker, larger goes first. Absent: 0, also from an older coordinator. */
  readonly priority?: number;
  readonly input: unknown;
  /** Absent: a fresh start. */
  readonly checkpoint?: {
    readonly sequence: number;
    readonly progress: number;
    readonly state: unknown;
  };
}

export type ReportKind =
  | 'started'
  | 'progress'
  | 'output'
  | 'checkpoint'
  | 'result'
  | 'failure'
  | 'refusal'
  | 'release';

/** The named reports are durable; the worker may forget them. */
export interface AckMessage {
  readonly type: 'ack';
  readonly accepted: readonly AcceptedReport[];
  /** Present in the answer to a heartbeat. */
  readonly heartbeat?: HeartbeatAnswer;
}

export interface AcceptedReport {
  readonly task_id: string;
  readonly attempt: number;
  readonly kind: ReportKind;
}

export interface HeartbeatAnswer {
  readonly heartbeat_id: number;
  readonly stop: readonly StopOrder[];
  readonly heartbeat_interval_seconds: number;
  readonly drain: boolean;
  readonly warnings: readonly string[];
}

/** The named reports were not taken and need not be sent again. */
export interface RejectMessage {
  readonly type: 'reject';
  readonly rejected: readonly RejectedReport[];
}

export interface RejectedReport extends AcceptedReport {
  /** `stale_attempt`, `not_yours`, `invalid_report`, `result_too_large`, … */
  readonly code: string;
  readonly detail: string;
}

/** Stop these attempts: their tasks are over. `revoke` says so of attempts that no longer count. */
export interface CancelMessage {
  readonly type: 'cancel';
  readonly attempts: readonly StopOrder[];
}

export interface RevokeMessage {
  readonly type: 'revoke';
  readonly attempts: readonly StopOrder[];
}

/** Release these attempts if they have not begun; answered by `release` for those that have not. */
export interface RecallMessage {
  readonly type: 'recall';
  readonly attempts: readonly { readonly task_id: string; readonly attempt: number }[];
}

/** Take nothing new: finish and stay (`drain` true), or go on (`drain` false). */
export interface DrainMessage {
  readonly type: 'drain';
  readonly drain: boolean;
}

/** A person has let the worker in: from now on it may be given work. */
export interface ApprovedMessage {
  readonly type: 'approved';
}

/**
 * Say `hello` again on this connection, with this number as its `greeting`: whoever decides here has changed, and knows
 * of the worker only what is stored. What was sent before may not have arrived; what comes next is a `welcome`.
 */
export interface GreetMessage {
  readonly type: 'greet';
  readonly id: number;
}

/** Answer with a heartbeat at once. */
export interface PingMessage {
  readonly type: 'ping';
}

/** The worker was removed; it must not come back by itself. */
export interface DeregisteredMessage {
  readonly type: 'deregistered';
  readonly detail: string;
  /** Present when a new registration is welcome after this pause (the database was cleared). */
  readonly register_after_seconds?: number;
}

/** The frame or the message could not be taken; the connection is closed when `fatal`. */
export interface ErrorMessage {
  readonly type: 'error';
  readonly code: string;
  readonly detail: string;
  readonly fatal: boolean;
}

export type CoordinatorMessage =
  | WelcomeMessage
  | AssignMessage
  | AckMessage
  | RejectMessage
  | CancelMessage
  | RevokeMessage
  | RecallMessage
  | DrainMessage
  | ApprovedMessage
  | GreetMessage
  | PingMessage
  | DeregisteredMessage
  | ErrorMessage;
