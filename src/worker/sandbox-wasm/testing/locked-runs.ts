// What a test and the process with a locked realm tell each other, as JSON.

import type { GuestStep } from '../../sandbox/guest.ts';
import type { HandTaskOptions, LoadOptions } from './hand-task.ts';

export type LockedOrder = readonly {
  /** Base64. */
  readonly module: string;
  readonly input: unknown;
  readonly options: HandTaskOptions & LoadOptions;
}[];

export interface LockedReport {
  readonly isLocked: boolean;
  /** Of the realm: what two jobs could share. */
  readonly faults: readonly string[];
  readonly ends: readonly LockedEnd[];
}

export type LockedEnd =
  | {
      readonly step: GuestStep;
      readonly offers: readonly string[];
      readonly reports: readonly (readonly [number, string | null])[];
      readonly printed: string;
    }
  | { readonly refusal: string };
