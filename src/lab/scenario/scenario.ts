// A scenario as it is played: what its file says, with the numbers of files that it names and every default.

import type { Weights } from '../../core/snapshot.ts';
import type {
  DeviceClass as WrittenClass,
  JobKind as WrittenJob,
  Load as WrittenLoad,
  Scenario as WrittenScenario,
} from './scenario-schema.ts';

/** Amounts that are read from files are `one_of` here, arrivals `at_seconds`. */
type Read<T> = T extends { readonly file: string }
  ? never
  : T extends readonly (infer E)[]
    ? number extends T['length']
      ? readonly Read<E>[]
      : T
    : T extends object
      ? { readonly [K in keyof T]: Read<T[K]> }
      : T;

export type DeviceClass = Read<WrittenClass>;
export type JobKind = Read<WrittenJob>;
export type Load = Read<WrittenLoad>;

export interface Scenario extends Omit<Read<WrittenScenario>, 'weights' | 'devices' | 'jobs'> {
  readonly weights: Weights;
  readonly devices: readonly DeviceClass[];
  readonly jobs: readonly JobKind[];
}
