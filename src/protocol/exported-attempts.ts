// Attempts that are over, as they are exported: a row for each, with the same names in JSON and in CSV.

import type { endedAttemptStatuses } from './evaluation.ts';
import { type CsvCell, csvLine } from './csv-line.ts';

export interface ExportedAttempt {
  readonly job_id: string;
  readonly job_name: string | null;
  readonly task_id: string;
  readonly index: number;
  readonly attempt: number;
  /** More than 1: so many in a row that the worker did not take; the times are those of the first and of the last. */
  readonly count: number;
  readonly worker_id: string;
  /** Null when it has none, or is forgotten. */
  readonly worker_name: string | null;
  /** In force when it was assigned; null when that is not known any more. */
  readonly algorithm: string | null;
  /** Of its job. */
  readonly submitted_at: string;
  readonly assigned_at: string;
  readonly started_at: string | null;
  readonly ended_at: string;
  /** From the submission, or from the end of the attempt before, to its start; null: it never began, or is a copy. */
  readonly waited_seconds: number | null;
  /** Null: it never began. */
  readonly ran_seconds: number | null;
  readonly outcome: (typeof endedAttemptStatuses)[number];
  /** As what it had been given up, when its result was accepted nevertheless. */
  readonly given_up_as: 'lost' | 'timed_out' | 'released' | null;
  readonly error_type: string | null;
  /** How many it saved; null: of a time when that was not kept, as what follows. */
  readonly checkpoints: number | null;
  readonly resumed_from_attempt: number | null;
  readonly resumed_from_progress: number | null;
  /** Of a completed one, as its worker says, or estimated; null: not known. */
  readonly energy_joules: number | null;
}

/** In this order in a table. */
export const exportedColumns = [
  'job_id',
  'job_name',
  'task_id',
  'index',
  'attempt',
  'count',
  'worker_id',
  'worker_name',
  'algorithm',
  'submitted_at',
  'assigned_at',
  'started_at',
  'ended_at',
  'waited_seconds',
  'ran_seconds',
  'outcome',
  'given_up_as',
  'error_type',
  'checkpoints',
  'resumed_from_attempt',
  'resumed_from_progress',
  'energy_joules',
] as const satisfies readonly (keyof ExportedAttempt)[];

export const exportFormats = ['csv', 'ndjson'] as const;

export type ExportFormat = (typeof exportFormats)[number];

export function exportedCsvHeader(): string {
  return csvLine(exportedColumns);
}

export function exportedCsvLine(row: ExportedAttempt): string {
  return csvLine(exportedColumns.map((name): CsvCell => row[name]));
}
