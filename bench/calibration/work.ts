// The program whose tasks are measured: it counts, for as many turns as its input says, and gives back what it was
// sent along. How many turns a second has is measured first, on one core that nothing slows down.

import type { JobSubmission } from '../../src/protocol/resources.ts';
import { deviceLabel } from './devices.ts';

const source = `export default ({ turns, padding }) => {
  let x = 1;
  for (let i = 0; i < turns; i++) x = (Math.imul(x, 1103515245) + 12345) | 0;
  return { x, padding };
};`;

export interface Work {
  readonly name: string;
  /** By index: how much to count. */
  readonly turns: readonly number[];
  /** Of each input, and of each result. */
  readonly payloadKb: number;
  /** Only this one may run it. */
  readonly device?: string;
}

export function submissionOf({ name, turns, payloadKb, device }: Work): JobSubmission {
  const padding = 'x'.repeat(Math.round(payloadKb * bytesPerKb));
  return {
    name,
    program: { kind: 'javascript', source },
    inputs: turns.map((each) => ({ turns: each, padding })),
    ...(device === undefined ? {} : { requirements: { labels: { [deviceLabel]: device } } }),
  };
}

/** As scenarios count. */
const bytesPerKb = 1000;
