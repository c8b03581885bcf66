// The criteria by which workers are compared, as they are named on the wire.

/** In this order everywhere: in answers, in tables and pictures, and in addresses of pages. */
export const criterionIds = [
  'cpu',
  'memory',
  'throughput',
  'failure_rate',
  'latency',
  'bandwidth',
  'battery',
  'energy',
  'load',
] as const;

export type CriterionId = (typeof criterionIds)[number];
