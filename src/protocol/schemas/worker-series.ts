// What workers have measured in the last minutes: how it is asked for, and the answer.

import { z } from 'zod';
import {
  mostSeriesPoints,
  secondsPerPoint,
  type WorkerSeriesName,
  workerSeriesNames,
} from '../worker-series.ts';
import { timestamp } from './fields.ts';

const known: ReadonlySet<string> = new Set(workerSeriesNames);
const rule = `must be a list of series, divided by commas, of ${workerSeriesNames.join(', ')}`;

export const seriesNamesSchema = z
  .string(rule)
  .refine((list) => list.split(',').every((name) => known.has(name)), rule);

/** The names in a list that the schema has let through, each once. */
export function seriesNamesOf(list: string): readonly WorkerSeriesName[] {
  const asked = new Set(list.split(','));
  return workerSeriesNames.filter((name) => asked.has(name));
}

const line = (meaning: string) =>
  z
    .array(z.number().nullable())
    .max(mostSeriesPoints)
    .exactOptional()
    .describe(`${meaning}, oldest first; null: nothing was measured then`);

export const workerSeriesSchema = z
  .object({
    until: timestamp('Where the newest point ends'),
    seconds_per_point: z.number().describe(`Of every line; ${secondsPerPoint}`),
    cpu: line('Load of the CPU in percent'),
    ram: line('Available memory in MB'),
    battery: line('Level of the battery in percent'),
  })
  .meta({
    examples: [
      {
        until: '2026-05-04T09:30:00.000Z',
        seconds_per_point: secondsPerPoint,
        cpu: [null, 11, 12.5],
      },
    ],
  });
