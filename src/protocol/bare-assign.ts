// Assignments between two members of a cluster: who gets what, without inputs, programs and states. The member at
// which the worker is reads those itself.

import type { Assignment, JobDescription } from './messages.ts';
import type { ProgramKind } from './program.ts';

export interface BareAssignMessage {
  readonly type: 'bare_assign';
  /** Of the connection, rises by one with each; the worker is told others, of the frames that are made of it. */
  readonly sequence: number;
  /** What belongs to the jobs of these assignments, by job id. */
  readonly jobs: Readonly<Record<string, BareJob>>;
  readonly assignments: readonly BareAssignment[];
}

export interface BareJob {
  /** Of its rows. */
  readonly key: number;
  /** Inputs that are numbers are made from it; null: they are read. */
  readonly range_start: number | null;
  readonly kind: ProgramKind;
  readonly about: Omit<JobDescription, 'program'>;
}

export interface BareAssignment extends Omit<Assignment, 'input' | 'checkpoint'> {
  /** What it may resume from, the oldest first; absent: a fresh start. */
  readonly states?: readonly BareState[];
}

export interface BareState {
  readonly id: number;
  readonly sequence: number;
  readonly progress: number;
  /** Of its JSON text. */
  readonly size_bytes: number;
  readonly sha256: string;
}
