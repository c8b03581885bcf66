// What a token may use of the coordinator: the one table. Each quota has a name, says what it bounds and in what
// unit, and for which kinds of tokens there is a bound when nobody has set another.

import { largestPriority } from './job-options.ts';
import type { TokenKind } from './token-text.ts';

export type QuotaName =
  | 'requests_per_second'
  | 'submissions_per_minute'
  | 'open_jobs'
  | 'queued_tasks'
  | 'stored_bytes'
  | 'streams'
  | 'sockets'
  | 'registrations_per_minute'
  | 'highest_priority';

/** Bounds by name; a name that is missing is not bounded. */
export type Quotas = { readonly [Name in QuotaName]?: number };

export interface QuotaRule {
  readonly meaning: string;
  /** Of its numbers. */
  readonly unit: 'a second' | 'a minute' | 'jobs' | 'tasks' | 'bytes' | 'at once' | 'priority';
  /** Over all tokens of the owner, or for the token alone. */
  readonly per: 'owner' | 'token' | 'submission';
  readonly least: number;
  readonly most: number;
  /** The kinds that it applies to; a number: the bound of a token with none of its own. */
  readonly kinds: { readonly [Kind in TokenKind]?: number | null };
}

const requests = 1_000;
const most = Number.MAX_SAFE_INTEGER;

/** A token that was silent may ask for so many seconds' worth of requests at once. */
export const burstSeconds = 5;

export const quotaTable: Readonly<Record<QuotaName, QuotaRule>> = {
  requests_per_second: {
    meaning: 'Requests; after a pause up to five seconds of them at once',
    unit: 'a second',
    per: 'token',
    least: 1,
    most: 1_000_000,
    kinds: { admin: null, client: requests, viewer: requests, join: requests, worker: requests },
  },
  submissions_per_minute: {
    meaning: 'Jobs submitted within a minute',
    unit: 'a minute',
    per: 'owner',
    least: 0,
    most,
    kinds: { admin: null, client: 60_000 },
  },
  open_jobs: {
    meaning: 'Jobs that have not ended',
    unit: 'jobs',
    per: 'owner',
    least: 0,
    most,
    kinds: { admin: null, client: 100_000 },
  },
  queued_tasks: {
    meaning: 'Tasks that have not ended, held and running ones too',
    unit: 'tasks',
    per: 'owner',
    least: 0,
    most,
    kinds: { admin: null, client: 1_000_000 },
  },
  stored_bytes: {
    meaning:
      'Programs, inputs and results of its jobs, and blobs; not counted for the owner `admin`',
    unit: 'bytes',
    per: 'owner',
    least: 0,
    most,
    kinds: { admin: null, client: 10 * 1024 ** 3 },
  },
  streams: {
    meaning: 'Streams of results that are followed, also from their submission on, and of events',
    unit: 'at once',
    per: 'token',
    least: 0,
    most,
    // Who submits many jobs at once follows each of them.
    kinds: { admin: null, client: 200, viewer: 200 },
  },
  sockets: {
    meaning:
      'Open sockets of workers; the one of a worker whose end was not noticed yet counts too',
    unit: 'at once',
    per: 'token',
    least: 0,
    most,
    kinds: { admin: null, join: 1_000, worker: 4 },
  },
  registrations_per_minute: {
    meaning: 'Workers registered within a minute',
    unit: 'a minute',
    per: 'token',
    least: 0,
    most,
    kinds: { admin: null, join: 600 },
  },
  highest_priority: {
    meaning: 'The highest priority of a job, and of its tasks; one above it is refused with 403',
    unit: 'priority',
    per: 'submission',
    least: -largestPriority,
    most: largestPriority,
    kinds: { admin: null, client: null },
  },
};

export const quotaNames = Object.keys(quotaTable) as readonly QuotaName[];

function isQuotaName(name: string): name is QuotaName {
  return Object.hasOwn(quotaTable, name);
}

/** The bounds of a token of this kind for which these were set. Undefined when nothing bounds it. */
export function quotasOf(
  kind: TokenKind,
  set: Readonly<Record<string, number>>,
): Quotas | undefined {
  const bounds: { [Name in QuotaName]?: number } = {};
  for (const name of quotaNames) {
    const bound = set[name] ?? quotaTable[name].kinds[kind];
    if (typeof bound === 'number') bounds[name] = bound;
  }
  return Object.keys(bounds).length === 0 ? undefined : bounds;
}

/** Why a token of this kind and owner cannot have the quota with this bound; undefined: it can. */
export function whyNoQuota(
  name: string,
  bound: number | null,
  { kind, owner }: { readonly kind: TokenKind; readonly owner: string | undefined },
): string | undefined {
  if (!isQuotaName(name)) {
    return `There is no quota "${name.slice(0, 40)}"; there are ${quotaNames.join(', ')}.`;
  }
  const { kinds, least, most: largest } = quotaTable[name];
  if (!Object.hasOwn(kinds, kind)) {
    const own = quotaNames.filter((each) => Object.hasOwn(quotaTable[each].kinds, kind));
    return `The quota ${name} is not for tokens of the kind ${kind}; those may have ${own.join(', ')}.`;
  }
  if (bound === null) return undefined;
  if (!Number.isInteger(bound) || bound < least || bound > largest) {
    return `The quota ${name} is a whole number from ${least} to ${largest}.`;
  }
  if (name === 'stored_bytes' && (owner ?? (kind === 'admin' ? 'admin' : '')) === 'admin') {
    return 'What the owner admin keeps is not counted, so its tokens cannot have the quota stored_bytes.';
  }
  return undefined;
}
