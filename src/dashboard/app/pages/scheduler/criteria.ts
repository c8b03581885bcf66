// The criteria as the page shows them: short heads of columns, and values with their units.

import type { CriterionId } from '../../../../protocol/criteria.ts';
import {
  bytes,
  latency,
  measured,
  percent,
  unknown,
  wholePercent,
  withUnit,
} from '../../text/numbers.ts';

const heads: Readonly<Record<CriterionId, string>> = {
  cpu: 'CPU free',
  memory: 'RAM',
  throughput: 'throughput',
  failure_rate: 'failures',
  latency: 'latency',
  bandwidth: 'bandwidth',
  battery: 'battery',
  energy: 'energy',
  load: 'load',
};

/** What a column is called where there is little room. */
export function headOf(id: string): string {
  return heads[id as CriterionId] ?? id;
}

const texts: Readonly<Record<CriterionId, (value: number) => string>> = {
  cpu: wholePercent,
  memory: (value) => bytes(value * 1e6),
  throughput: (value) => `${measured(value)}/s`,
  failure_rate: percent,
  latency,
  bandwidth: (value) => withUnit(measured(value), 'Mbit/s'),
  battery: wholePercent,
  energy: (value) => withUnit(measured(value), 'J'),
  load: wholePercent,
};

export function valueText(id: string, value: number | null): string {
  if (value === null) return unknown;
  return (texts[id as CriterionId] ?? measured)(value);
}

/** With its sign: what a criterion adds to a score. */
export function signed(value: number, places = 3): string {
  const text = Math.abs(value).toFixed(places);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '\u2212' : '+'}${text}`;
}
