// What keeps a worker from a task. The same words for tasks that wait and in the tables of decisions.

export const hindranceCodes = [
  'offline',
  'quarantined',
  'waiting',
  'draining',
  'connection_closed',
  'leaving',
  'resting',
  'asleep',
  'kind',
  'requirement',
  'no_free_slot',
  'failed_here',
  'refused_here',
] as const;

export type HindranceCode = (typeof hindranceCodes)[number];

export interface Hindrance {
  readonly code: HindranceCode;
  readonly text: string;
}
