// The nine criteria: what each one measures, in which unit, where it comes from, and how the value
// in the decision matrix is made of what is known of a worker. The docs and the interface show this
// table; `readings.ts` does what the column `rule` says.
//
// A column that is a cost is divided by or inverted somewhere (ARAS, wrr), so a cost is made
// positive by its meaning, with a floor or by smoothing, before any method sees it.

import { type CriterionId, criterionIds } from '../../core/snapshot.ts';

export type Kind = 'benefit' | 'cost';

export interface Criterion {
  readonly id: CriterionId;
  /** The name that people are shown. */
  readonly name: string;
  readonly kind: Kind;
  readonly unit: string;
  readonly meaning: string;
  /** Where the raw value comes from. */
  readonly source: string;
  /** How the value in the matrix is made of the raw one. */
  readonly rule: string;
}

// Floors of the costs.
/** An idle device is still not free of load: 0 would make it infinitely better than 1 %. */
export const loadFloorPercent = 1;
/** Below this, latency is the noise of the clock. */
export const latencyFloorMs = 1;
export const energyFloorJoules = 0.001;
/** A cluster in which nothing has failed yet is not taken for perfect. */
export const failureRateFloor = 0.01;

export const criteria: Readonly<Record<CriterionId, Criterion>> = {
  cpu: {
    id: 'cpu',
    name: 'CPU availability',
    kind: 'benefit',
    unit: '%',
    meaning: 'CPU availability: the share of the CPU that is not in use',
    source: 'heartbeat, cpu_load_percent',
    rule: '100 − load; for edas, aras and mabac the load is the projected one',
  },
  memory: {
    id: 'memory',
    name: 'available RAM',
    kind: 'benefit',
    unit: 'MB',
    meaning: 'available RAM',
    source: 'heartbeat, ram_available_mb',
    rule: 'as reported',
  },
  throughput: {
    id: 'throughput',
    name: 'throughput',
    kind: 'benefit',
    unit: 'tasks/s',
    meaning: 'completed tasks per second of work',
    source: 'coordinator, counted since the registration',
    rule: 'completed / busy seconds, at least 1 ms for each task; 0 for everybody while nobody has finished one',
  },
  failure_rate: {
    id: 'failure_rate',
    name: 'failure rate',
    kind: 'cost',
    unit: 'share',
    meaning: 'share of the tasks that failed',
    source: 'coordinator, counted since the registration',
    rule: '(failed + 2p) / (completed + failed + 2), p = max(rate of the cluster, 0.01)',
  },
  latency: {
    id: 'latency',
    name: 'network latency',
    kind: 'cost',
    unit: 'ms',
    meaning: 'network latency between worker and coordinator',
    source: 'heartbeat, network_latency_ms, or measured by the coordinator',
    rule: 'at least 1 ms',
  },
  bandwidth: {
    id: 'bandwidth',
    name: 'network bandwidth',
    kind: 'benefit',
    unit: 'Mbit/s',
    meaning: 'network bandwidth',
    source: 'heartbeat, network_bandwidth_mbps; a PC measures the payloads that travel',
    rule: 'as reported',
  },
  battery: {
    id: 'battery',
    name: 'battery level',
    kind: 'benefit',
    unit: '%',
    meaning: 'battery level',
    source: 'heartbeat, battery_level_percent and battery_charging',
    rule: '100 for a device on mains and for a pc without a battery',
  },
  energy: {
    id: 'energy',
    name: 'energy per task',
    kind: 'cost',
    unit: 'J',
    meaning: 'estimated energy per completed task',
    source: 'worker reports, else estimated by power_watts or the class of the device',
    rule: 'joules / completed tasks, at least 0.001 J',
  },
  load: {
    id: 'load',
    name: 'CPU load',
    kind: 'cost',
    unit: '%',
    meaning: 'current CPU load',
    source: 'heartbeat, cpu_load_percent',
    rule: 'at least 1 %; for edas, aras and mabac the projected load',
  },
};

/** Column of each criterion in the decision matrix: the order of `criterionIds`. */
export const criterionList: readonly Criterion[] = criterionIds.map((id) => criteria[id]);
