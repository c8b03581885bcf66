// The mixes of tasks. Sizes are drawn by the lab, with the number of the repetition as seed, and the real tasks get
// the very same numbers. Most have twelve
// seconds of work for a whole core, of which the devices have 0.9 together.

import type { Drawn } from '../../src/lab/chance/draw.ts';

export interface Mix {
  readonly id: string;
  /** For people. */
  readonly about: string;
  readonly tasks: number;
  /** As in a scenario. */
  readonly workSeconds: Drawn;
  /** Of each input, and of each result. */
  readonly payloadKb: number;
}

export const mixes: readonly Mix[] = [
  { id: 'even', about: '50 tasks of 0.24 s', tasks: 50, workSeconds: 0.24, payloadKb: 0.1 },
  {
    id: 'log-normal',
    about: '50 tasks, log-normal, 0.24 s on average, cv 0.8',
    tasks: 50,
    workSeconds: { log_normal: { mean: 0.24, cv: 0.8 }, at_most: 1 },
    payloadKb: 0.1,
  },
  {
    id: 'short',
    about: '400 tasks of 0.03 s, with 10 KB in and 10 KB out each',
    tasks: 400,
    workSeconds: 0.03,
    payloadKb: 10,
  },
  {
    id: 'few',
    about: '4 tasks of 1 s for 5 devices',
    tasks: 4,
    workSeconds: 1,
    payloadKb: 0.1,
  },
];
