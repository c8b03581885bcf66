// The options of a job, as they are submitted: a row for each. The schema with its text in the OpenAPI
// document (`schemas/submission.ts`), the type of what clients send, the defaults, the bounds of the
// flags of `muster submit` and the table in docs/reference/rest.md are made from these rows. What a
// job is in the core has the same options in its own names and units: `JobOptions` in
// `core/records.ts`. CONTRIBUTING.md says how another one is added.

import { defaultTaskMemoryMb, largestTaskMemoryMb } from './task-memory.ts';

/** The largest priority of a job or a task; the smallest is its negative. */
export const largestPriority = 1000;

export const speculationDefaults = { max_copies: 1, max_share: 0.1 };

const daySeconds = 86_400;
const timeLimit = { type: 'time limit', least: 0.1, most: 30 * daySeconds } as const;

export const jobOptions = {
  name: { type: 'text', meaning: 'For people' },
  client_id: { type: 'text', default: 'anonymous', meaning: 'Your label' },
  priority: {
    type: 'integer',
    least: -largestPriority,
    most: largestPriority,
    default: 0,
    meaning: 'Larger first under the `priority` algorithm',
  },
  task_priorities: {
    type: 'priorities',
    meaning: 'One for each input; default: the priority of the job',
  },
  max_attempts: {
    type: 'integer',
    least: 1,
    most: 1000,
    default: 3,
    meaning: 'Tries of a task that reports errors',
  },
  max_lost_attempts: {
    type: 'integer',
    least: 1,
    most: 1000,
    default: 5,
    meaning: 'Tries whose worker got lost',
  },
  retry_delay_seconds: {
    type: 'number',
    least: 0,
    most: daySeconds,
    default: 1,
    meaning: 'Before the second try, grows after that',
  },
  attempt_timeout_seconds: {
    ...timeLimit,
    default: 3600,
    meaning: 'From start; null for none',
  },
  progress_timeout_seconds: {
    ...timeLimit,
    default: null,
    meaning: 'Without news of progress',
  },
  on_task_failure: {
    type: 'word',
    words: ['continue', 'fail_job'],
    default: 'continue',
    meaning: '`fail_job`: the rest is cancelled',
  },
  memory_mb: {
    type: 'integer',
    least: 64,
    most: largestTaskMemoryMb,
    default: defaultTaskMemoryMb,
    meaning: 'What one task may take; more goes only to workers that have it to spare',
  },
  keep_output: {
    type: 'word',
    words: ['on_failure', 'always', 'never'],
    default: 'on_failure',
    meaning: 'When what an attempt prints is kept',
    inReference:
      'When what an attempt prints is kept: its first and last 32 KiB, see ' +
      '[Find a mistake](../guides/write-a-client.md#find-a-mistake)',
  },
  live_output: {
    type: 'flag',
    default: false,
    meaning: 'What its tasks print is told while they run, by `output` events',
    inReference:
      'What its tasks print is told while they run, by `output` events, see ' +
      '[Find a mistake](../guides/write-a-client.md#find-a-mistake)',
  },
  late_results: {
    type: 'word',
    words: ['accept', 'reject'],
    default: 'accept',
    meaning: 'Results of attempts that were given up',
  },
  requirements: {
    type: 'requirements',
    meaning: 'What a worker must have to get a task of this job',
    inReference:
      'What a worker must have to get a task of this job: `type`, `platform` (arrays), ' +
      '`min_ram_mb`, `min_battery_percent`, `isolation` (`ses` or `bubblewrap`), `labels`',
  },
  checkpoint: {
    type: 'interval',
    least: 0.05,
    most: daySeconds,
    defaultWords: 'by its cost',
    meaning: 'How often a task may save its state',
    inReference: 'How often a task may save its state: `{"interval_seconds": 5}`',
  },
  speculation: {
    type: 'speculation',
    defaultWords: 'off',
    meaning: 'An idle worker runs a copy of what takes too long',
    inReference:
      `\`{"enabled": true, "max_copies": ${speculationDefaults.max_copies}, ` +
      `"max_share": ${speculationDefaults.max_share}}\`: an idle worker runs a copy of what takes ` +
      'too long, see [Recover](../guides/recover.md#a-task-takes-far-longer-than-the-others)',
  },
  retain_seconds: {
    type: 'number',
    least: 60,
    most: 3650 * daySeconds,
    defaultWords: 'as long as all jobs',
    meaning: 'How long the job is kept after its end; then it is removed with its results',
    inReference:
      'How long the job is kept after its end; then it is removed with its results, see ' +
      '[Operate](../guides/operate.md#how-long-jobs-are-kept)',
  },
  hold: {
    type: 'flag',
    default: false,
    meaning: 'Nothing of the job starts before it is released',
    inReference:
      'Nothing of the job starts before it is released, see ' +
      '[Operate](../guides/operate.md#hold-and-release)',
  },
  notify: {
    type: 'notify',
    defaultWords: 'nobody',
    meaning: 'Who is told of its end: addresses to which a signed message is sent',
    inReference:
      'Who is told of its end: one to four of `{"url": "https://example.org/hook", ' +
      '"on": ["completed", "failed", "cancelled"], "secret": "…"}`, see ' +
      '[Be told when a job ends](../guides/notify.md)',
  },
} as const satisfies Readonly<Record<string, JobOption>>;

export type JobOptionName = keyof typeof jobOptions;

export type JobOption = OptionForm & {
  /** The value when the option is left out. Without a default it is absent then, or as `defaultWords` say. */
  readonly default?: string | number | boolean | null;
  readonly defaultWords?: string;
  /** The sentence of the OpenAPI document, and of the reference unless `inReference` is given. */
  readonly meaning: string;
  readonly inReference?: string;
};

type OptionForm =
  | { readonly type: 'integer' | 'number'; readonly least: number; readonly most: number }
  /** Seconds, or null for none. */
  | { readonly type: 'time limit'; readonly least: number; readonly most: number }
  /** `{"interval_seconds": 5}` */
  | { readonly type: 'interval'; readonly least: number; readonly most: number }
  | { readonly type: 'word'; readonly words: readonly [string, ...string[]] }
  | { readonly type: 'text' | 'flag' | 'priorities' | 'requirements' | 'speculation' | 'notify' };

/** What is submitted for an option of each type; for a word, one of its words. */
interface OptionValues {
  readonly text: string;
  readonly flag: boolean;
  readonly integer: number;
  readonly number: number;
  readonly 'time limit': number | null;
  readonly interval: { readonly interval_seconds: number };
  readonly priorities: readonly number[];
  readonly requirements: JobRequirements;
  readonly notify: readonly NotifyRequest[];
  readonly speculation: {
    readonly enabled?: boolean;
    readonly max_copies?: number;
    readonly max_share?: number;
  };
}

type ValueOf<Option extends JobOption> = Option extends { readonly words: readonly (infer Word)[] }
  ? Word
  : OptionValues[Exclude<Option['type'], 'word'>];

/** What a client may say of a job beside its program and its inputs. */
export type SubmittedOptions = {
  readonly [Name in JobOptionName]?: ValueOf<(typeof jobOptions)[Name]>;
};

/** What a job tells of its options, beside what it tells elsewhere. */
export type ChosenOptions = Omit<
  SubmittedOptions,
  'name' | 'client_id' | 'priority' | 'task_priorities' | 'hold' | 'notify'
>;

export const jobEnds = ['completed', 'failed', 'cancelled'] as const;

export const notifyBounds = {
  targets: 4,
  urlCharacters: 2048,
  secretCharacters: { least: 16, most: 256 },
} as const;

/** An address that is told when the job ends. */
export interface NotifyRequest {
  readonly url: string;
  /** Of which ends it is told; of all when it is left out. */
  readonly on?: readonly (typeof jobEnds)[number][];
  /** Signs what is sent, see `server/webhooks/signature.ts`. No answer has it. */
  readonly secret?: string;
}

/** The names of sandboxes. Another name would fit no worker, and the job would wait for ever. */
export const isolationNames = ['ses', 'bubblewrap'] as const;

export interface JobRequirements {
  readonly type?: readonly string[];
  readonly platform?: readonly string[];
  readonly min_ram_mb?: number;
  readonly min_battery_percent?: number;
  readonly isolation?: (typeof isolationNames)[number];
  readonly labels?: Readonly<Record<string, string>>;
}

/** The default as text: `3`, or words in backticks; undefined when there is none. */
export function defaultText(option: JobOption): string | undefined {
  if (option.default === undefined) return undefined;
  return typeof option.default === 'string' ? `\`${option.default}\`` : String(option.default);
}
