// What the page of a browser worker and its agent tell each other. The page has what only a window has
// (buttons, frames, battery, visibility, wake lock); the agent, a thread beside it, has everything else: the
// socket, the tasks, the rules, what is kept on the device. The page decides nothing about tasks.
// Types only, so that both sides may import it.

/** What the owner of the device allows; kept on the device by the agent. */
export interface OwnerRules {
  /** Nothing runs while the device is not plugged in. */
  readonly onlyCharging: boolean;
  /** Nothing runs below this level while it is not plugged in, in percent; null: at any level. */
  readonly minBatteryPercent: number | null;
  /** Nothing runs, and nothing is fetched, where data costs money. */
  readonly onlyUnmetered: boolean;
  /** Minutes since midnight, local time; `from` may be later than `to` (over midnight). Null: at any time. */
  readonly hours: { readonly fromMinute: number; readonly toMinute: number } | null;
  /** Tasks at a time, from 1. */
  readonly slots: number;
  /** Under which the device is listed; empty: the agent makes one of platform and browser. */
  readonly name: string;
}

/** What only the window knows; null: this browser does not tell. Sent once before `begin`, then at changes. */
export interface PageSigns {
  readonly isVisible: boolean;
  readonly isOnline: boolean;
  readonly batteryPercent: number | null;
  readonly isCharging: boolean | null;
  readonly isMetered: boolean | null;
  readonly networkType: string | null;
  /** `nominal`, `fair`, `serious`, `critical` of the Compute Pressure API. */
  readonly pressure: string | null;
  /** The screen is kept on. */
  readonly isKeptAwake: boolean;
}

export interface BeginOptions {
  /** A phone or a tablet: fewer slots, stricter rules to begin with. */
  readonly isHandheld: boolean;
  /** `android`, `ios`, `linux`, `darwin`, `win32`, `chromeos` or `unknown`, from the user agent. */
  readonly platform: string;
  /** `Chrome`, `Firefox`, `Safari`, … or `browser`. */
  readonly browserName: string;
  /** Logical cores; null: not told. */
  readonly cores: number | null;
  readonly deviceMemoryGb: number | null;
  /** Of Muster, for lists. */
  readonly version: string;
  /** Whether the page is one that was opened again by itself, after a crash or by the browser. */
  readonly isReload: boolean;
  /** The page before was closed, or put away by the system, and has not crashed. Without: not known. */
  readonly wasClosed?: boolean;
}

export type ToAgent =
  /** First. `token`: that of a link, null when the page was opened without one. Answered by `known`. */
  | { readonly type: 'open'; readonly token: string | null; readonly about: BeginOptions }
  /** The person has consented: from here on it works, until `leave`. */
  | { readonly type: 'begin'; readonly rules: OwnerRules }
  | { readonly type: 'signs'; readonly signs: PageSigns }
  | { readonly type: 'rules'; readonly rules: OwnerRules }
  /** By hand. It never goes on by itself. */
  | { readonly type: 'pause' }
  | { readonly type: 'go_on' }
  /** For so long the rules about charging and battery do not count. */
  | { readonly type: 'ignore_battery'; readonly forMs: number }
  /** Tasks are handed over, `bye` is said; answered by `ended`. */
  | { readonly type: 'leave' }
  /** After `ended` or before `begin`: what is kept on this device is removed. Answered by `known`. */
  | { readonly type: 'forget' }
  /** The page is being closed: what can be said must be said at once. */
  | { readonly type: 'closing' }
  /** It was not closed after all (it came back out of the browser's memory). */
  | { readonly type: 'not_closed' }
  /**
   * In answer to `open_frame`: `port` leads to the thread in the frame, `pulse` to its document, which answers
   * whatever comes: it is idle while the thread is busy, and gone when the process of both is gone.
   */
  | {
      readonly type: 'frame_opened';
      readonly id: number;
      readonly port: MessagePort;
      readonly pulse?: MessagePort;
    }
  | { readonly type: 'frame_failed'; readonly id: number; readonly why: string };

export type FromAgent =
  | { readonly type: 'known'; readonly device: KnownDevice }
  /** At most twice a second, and at once when `phase` changes. */
  | { readonly type: 'state'; readonly state: DeviceState }
  | { readonly type: 'open_frame'; readonly id: number }
  | { readonly type: 'close_frame'; readonly id: number }
  | { readonly type: 'ended'; readonly end: DeviceEnd };

/** What the page sends when it is closed: it needs no agent. */
export interface LastRequest {
  readonly path: string;
  readonly how: {
    readonly method: 'POST';
    readonly keepalive: true;
    readonly headers: Record<string, string>;
    readonly body: string;
  };
}

/** What the device knows before it begins. */
export interface KnownDevice {
  /** Those that are kept, or those to begin with. */
  readonly rules: OwnerRules;
  readonly slotsMax: number;
  /** It has worked for this coordinator before: it comes back as the same worker. */
  readonly isMember: boolean;
  /** Reports that are kept here and not handed in. */
  readonly kept: number;
  /** What is withheld by this browser, here. */
  readonly withheld: readonly Withheld[];
  /** Another tab of this browser helps already. */
  readonly isElsewhere: boolean;
  /** Who asked the last time: what the coordinator was called then, or null. */
  readonly coordinatorName: string | null;
  /** What `GET /api/join` says of the link, or without one where nobody needs it; otherwise null. */
  readonly link: LinkSays | null;
}

export type LinkSays =
  | {
      readonly ok: true;
      /** Who asks: `--coordinator-name`, or null. */
      readonly coordinatorName: string | null;
      readonly label: string | null;
      readonly needsApproval: boolean;
    }
  /** `isOver`: it has ended, ask for a new one; otherwise `detail` says what is the matter. */
  | { readonly ok: false; readonly isOver: boolean; readonly detail: string };

export type Withheld =
  | 'battery'
  | 'pressure'
  | 'wake_lock'
  | 'metered'
  | 'offline_page'
  | 'storage'
  | 'secure_context';

/**
 * - `connecting`: no welcome yet since the begin.
 * - `waiting`: a person at the coordinator must let it in.
 * - `idle`, `working`: connected.
 * - `resting`: nothing runs, because of a rule, a hidden page or a pause by hand (`rest`).
 * - `offline`: there is no connection; what runs goes on, results are kept.
 * - `leaving`: it was told to; tasks are being handed over.
 */
export type DevicePhase =
  | 'connecting'
  | 'waiting'
  | 'idle'
  | 'working'
  | 'resting'
  | 'offline'
  | 'leaving';

/** Why it rests. On the wire it is `rest.because`. */
export type RestReason = 'paused' | 'charging' | 'battery' | 'metered' | 'hours' | 'hidden';

export interface DeviceState {
  readonly phase: DevicePhase;
  readonly coordinatorName: string | null;
  readonly workerId: string | null;
  /** Whoever runs the coordinator gives it nothing new for now. */
  readonly isDrained: boolean;
  readonly rest: {
    readonly because: RestReason;
    /** What runs is still coming to its next safe point; `saved` has what is saved by now. */
    readonly isSettling: boolean;
    /** Progress, 0 to 1, of tasks that were handed over or are kept; null: without a checkpoint. */
    readonly saved: readonly (number | null)[];
    /** When the rule allows it again, if that is known: ms since the epoch. */
    readonly untilMs: number | null;
  } | null;
  readonly tasks: readonly TaskView[];
  /** Since midnight, local time. */
  readonly today: Done;
  readonly session: Done;
  /** Outcomes of the last sixty tasks, oldest first. */
  readonly recent: readonly ('done' | 'failed')[];
  /** Finished tasks since the device joined, for the rounds of the ring. */
  readonly doneEver: number;
  /** Gives back what it holds, when the agent is too busy to hear that the page is closed. Null: nothing. */
  readonly lastRequest: LastRequest | null;
  /** Reports that are kept here until they are acknowledged. */
  readonly kept: number;
  /** The newest line of the agent that a person should see, or null. */
  readonly notice: string | null;
  readonly signs: PageSigns;
  readonly cpuLoadPercent: number | null;
  readonly rules: OwnerRules;
  readonly ignoresBatteryUntilMs: number | null;
  readonly withheld: readonly Withheld[];
}

export interface Done {
  readonly tasks: number;
  readonly failed: number;
  /** Time in which at least one task ran. */
  readonly helpedMs: number;
  readonly bytes: number;
  /** Estimated; null: not known. */
  readonly energyJoules: number | null;
}

export interface TaskView {
  readonly key: string;
  readonly jobId: string;
  /** Whose job it is. */
  readonly owner: string;
  /** 0 to 1; null while the task says nothing. */
  readonly progress: number | null;
  /** How long it has run by now. */
  readonly ranMs: number;
  /** From progress, or from other tasks of its job; null: not known. */
  readonly leftMs: number | null;
}

export interface DeviceEnd {
  /** `left`: by the person. `removed`: by an operator. `refused`: not let in. `fault`: of the agent itself. */
  readonly why: 'left' | 'removed' | 'refused' | 'fault';
  /** A sentence, of the coordinator where it has said one. */
  readonly detail: string;
  readonly session: Done;
}
