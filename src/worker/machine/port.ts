// The port of the worker's machine: its inputs, its outputs, its options. The agent and the
// simulator feed it and perform its outputs; neither decides anything.

import type {
  AttemptRef,
  CoordinatorMessage,
  DeviceDescription,
  Telemetry,
  WorkerMessage,
} from '../../protocol/messages.ts';
import { defaultShelf, type ShelfBounds } from '../../protocol/program-shelf.ts';
import type {
  AttemptKey,
  ExecutorEvent,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../executor.ts';

/**
 * - `handshake`: no `welcome` has come in time after `connect`.
 * - `reconnect`: the pause before the next `connect` is over.
 * - `heartbeat`: the next heartbeat is due.
 * - `flush`: progress that was held back may be sent.
 * - `leave_deadline`: attempts that still run are given up.
 */
export type MachineTimer = 'handshake' | 'reconnect' | 'heartbeat' | 'flush' | 'leave_deadline';

export type MachineInput =
  | { readonly type: 'start' }
  /**
   * Socket inputs belong to the socket of the newest `connect`. Inputs of an older socket, or of
   * one that `disconnect` closed, must not be delivered.
   */
  | { readonly type: 'socket_opened' }
  | { readonly type: 'socket_closed'; readonly detail?: string }
  /** The coordinator answered the upgrade with an HTTP status instead of a socket. */
  | {
      readonly type: 'socket_refused';
      readonly status: number;
      readonly code: string | null;
      readonly detail: string;
    }
  | { readonly type: 'message'; readonly message: CoordinatorMessage }
  /** All messages of one frame: the same as one `message` each, in one step. */
  | { readonly type: 'frame'; readonly messages: readonly CoordinatorMessage[] }
  | { readonly type: 'executor'; readonly event: ExecutorEvent }
  /** A timer that was cleared or set anew must not fire; the machine ignores one that does. */
  | { readonly type: 'timer'; readonly timer: MachineTimer }
  /**
   * SIGTERM: the worker lets running attempts finish, gives back the others, says bye and exits. A
   * second one gives up attempts that still run.
   */
  | { readonly type: 'leave' }
  /** Rest begins, or goes on for another reason; null: it is over. The same again changes nothing. */
  | { readonly type: 'rest'; readonly rest: RestOrder | null }
  /**
   * So many slots are used from now on, at least 1 and at most those of the executor. What runs in the others
   * finishes there.
   */
  | { readonly type: 'slots'; readonly slots: number };

/** Why the worker rests for now, and how. It takes nothing new, and gives back what has not begun. */
export interface RestOrder {
  /** `^[a-z_]{1,32}$`, as it goes on the wire. */
  readonly because: string;
  /**
   * True: what runs goes on, after a checkpoint, and stays its own. False: it is told to stop, and given back with its
   * newest checkpoint.
   */
  readonly keeps: boolean;
  /** The lease for now, when it may be silent for longer than usual. Absent: that of its `hello`. */
  readonly leaseSeconds?: number;
}

/** A final report that outlives the worker's process, until the coordinator has answered it. Can be cloned. */
export interface KeptReport {
  readonly key: AttemptKey;
  readonly taskId: string;
  readonly attempt: number;
  readonly token: string;
  readonly kind: 'result' | 'failure';
  /** The report as it goes on the wire. */
  readonly entryJson: string;
}

/**
 * The code of a refusal after which the platform tries again with another token, that of a link: its own is not good
 * any more.
 */
export const ownTokenRefused = 'own_token_refused';

export type LogLevel = 'info' | 'warn' | 'error';

export type MachineOutput =
  /** `to`: another coordinator of the cluster, for now; absent: the one that it was started with. */
  | { readonly type: 'connect'; readonly to?: string }
  | { readonly type: 'disconnect' }
  /** One frame. A step has one at most, unless it would grow past `frameCharacters` or a rest begins or ends. */
  | { readonly type: 'send'; readonly messages: readonly WorkerMessage[] }
  | {
      readonly type: 'run';
      readonly slot: number;
      readonly program: ExecutorProgram;
      readonly tasks: readonly ExecutorTask[];
    }
  | {
      readonly type: 'stop';
      readonly slot: number;
      readonly key: AttemptKey;
      readonly reason: StopReason;
    }
  /** Take the next state that the attempt offers as a checkpoint, due or not. */
  | { readonly type: 'checkpoint'; readonly slot: number; readonly key: AttemptKey }
  | { readonly type: 'forget_program'; readonly jobId: string }
  | { readonly type: 'set_timer'; readonly timer: MachineTimer; readonly afterMs: number }
  | { readonly type: 'clear_timer'; readonly timer: MachineTimer }
  | { readonly type: 'save_identity'; readonly workerId: string; readonly workerToken: string }
  | { readonly type: 'forget_identity' }
  /**
   * Final reports were made: they come before the `send` that has them. A report whose key is kept already takes its
   * place. Only with `keepsReports`.
   */
  | { readonly type: 'keep'; readonly reports: readonly KeptReport[] }
  /** The coordinator has answered them, or nobody waits for them any more. */
  | { readonly type: 'let_go'; readonly keys: readonly AttemptKey[] }
  | {
      readonly type: 'log';
      readonly level: LogLevel;
      readonly event: string;
      readonly detail: string;
    }
  /** The last output of a machine. Running children may be killed. */
  | { readonly type: 'exit'; readonly code: number; readonly reason: string };

export interface WorkerIdentity {
  readonly workerId: string;
  readonly workerToken: string;
}

export interface MachineOptions {
  /** `slots` is overwritten by the option of that name. */
  readonly device: DeviceDescription;
  readonly slots: number;
  /** Null: the worker registers anew. */
  readonly identity: WorkerIdentity | null;
  /** Random, and new with every machine: a coordinator tells by it a worker that came back from a copy of it. */
  readonly instance: string;
  /** Whether the device may connect there when its own coordinator is gone. Absent: nowhere else. */
  readonly mayGoTo?: (url: string) => boolean;
  /** Uniform in [0, 1); used for jitter only. */
  readonly random: () => number;
  readonly telemetry: () => Telemetry;
  /** For `energy_joules` of a result; null or absent: not known, not reported. */
  readonly wattsPerCore?: number | null;
  /** True: `keep` and `let_go` tell which reports must outlive the process. */
  readonly keepsReports?: boolean;
  /** Reports of an earlier life of this worker. Without an identity they are let go. */
  readonly kept?: readonly KeptReport[];
  /**
   * What an earlier life held without a report when it was closed properly (`Workload.unreported`): given back,
   * at nobody's charge. After a crash there must be none: a task that ends its worker would go round for ever.
   */
  readonly heldBefore?: readonly AttemptRef[];
  readonly tuning?: Partial<MachineTuning>;
}

export interface MachineTuning {
  /** The pause before a reconnect is uniform in [0, min(max, min · 2^failures)]. */
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** After a connection that lived so long, the next pause is short again. */
  readonly steadyConnectionMs: number;
  readonly handshakeMs: number;
  /** Progress of one attempt is sent at most once in this time. */
  readonly progressWindowMs: number;
  /** What tasks print, as it is told live: characters a second of one attempt, and of all. */
  readonly printed: { readonly attempt: number; readonly worker: number };
  /** Expected work that a slot may hold; the rest stays in the queue, where it can be recalled. */
  readonly handedWorkMs: number;
  /** Expected work of other attempts that may pass one that waits (`hand-over.ts`). */
  readonly passedWorkMs: number;
  /** Attempts that a slot may hold, however short they are. */
  readonly handedMax: number;
  /** Time that running attempts have to finish after `leave`. */
  readonly finishMs: number;
  /** After that: time to take a last checkpoint and to have it acknowledged. */
  readonly giveUpMs: number;
  /**
   * Jobs that are remembered though no attempt of them is held, and characters of their programs.
   */
  readonly jobsMax: number;
  readonly jobsMaxCharacters: number;
  /** Programs that are kept for jobs to come, and named in `hello`. */
  readonly shelf: ShelfBounds;
  /**
   * A frame that reaches so many characters is closed. Invariant: at 3 bytes per character it stays
   * under a coordinator's limit for frames, and so does the number of its values.
   */
  readonly frameCharacters: number;
}

export const defaultTuning: MachineTuning = {
  reconnectMinMs: 200,
  reconnectMaxMs: 10_000,
  steadyConnectionMs: 5_000,
  handshakeMs: 20_000,
  progressWindowMs: 250,
  printed: { attempt: 16 * 1024, worker: 60 * 1024 },
  handedWorkMs: 8,
  passedWorkMs: 1_000,
  handedMax: 256,
  finishMs: 20_000,
  giveUpMs: 1_500,
  jobsMax: 1024,
  jobsMaxCharacters: 64 * 1024 * 1024,
  shelf: defaultShelf,
  frameCharacters: 512 * 1024,
};

/** How a worker ends. The command line has codes of its own for these. */
export const exitCodes = {
  /** It was asked to: told to leave, or removed by the operator. */
  left: 0,
  /** Something answers at the address that is no coordinator. */
  no_coordinator: 2,
  /** The coordinator does not let it in: the token, or the version of the protocol. */
  refused: 3,
  /** A fault of the worker itself. */
  fault: 1,
} as const;
