// What a run of chaos was like, by what the database says of its tasks and terms.

import { askStore } from '../support/stored-cluster.ts';

export interface Kill {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly wasLeading: boolean;
}

export interface Figures {
  readonly kills: number;
  readonly kills_of_leaders: number;
  readonly takeovers: number;
  readonly results: number;
  /** Between two results that were accepted one after the other, the database away or not. */
  readonly longest_pause_seconds: number;
  /** From the kill of a leader to the next result that was accepted. */
  readonly after_kill_median_seconds: number | null;
  readonly after_kill_longest_seconds: number | null;
}

/** Works because something is always waiting to be run. */
export async function measured(
  url: string,
  schema: string,
  kills: readonly Kill[],
): Promise<Figures> {
  const accepted = await askStore(
    url,
    schema,
    'select completed_at as at from SCHEMA.tasks where status = 2 order by completed_at',
  );
  const [terms] = await askStore(url, schema, 'select count(*)::int as count from SCHEMA.terms');
  const times = accepted.map(({ at }) => at as number);
  const pauses = times.slice(1).map((at, i) => at - times[i]!);
  const ofLeaders = kills.filter(({ wasLeading }) => wasLeading);
  const after = ofLeaders
    .map(({ at }) => (times.find((time) => time > at) ?? Number.NaN) - at)
    .filter((ms) => !Number.isNaN(ms))
    .toSorted((a, b) => a - b);
  return {
    kills: kills.length,
    kills_of_leaders: ofLeaders.length,
    takeovers: (terms!['count'] as number) - 1,
    results: times.length,
    longest_pause_seconds: Math.max(0, ...pauses) / 1_000,
    after_kill_median_seconds: seconds(after[after.length >> 1]),
    after_kill_longest_seconds: seconds(after.at(-1)),
  };
}

function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1_000;
}
