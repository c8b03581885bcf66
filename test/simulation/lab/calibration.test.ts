// The lab against makespans that were measured on a real cluster (docs/internals/calibration.md). Nothing is measured
// here: what was is kept in a file.

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ComparedRun, compareAll, rowsOf } from '../../../bench/calibration/calibration.ts';
import { contenders } from '../../../bench/calibration/contenders.ts';
import { measuredSchema } from '../../../bench/calibration/measured.ts';
import { mixes } from '../../../bench/calibration/mixes.ts';

const file = new URL('../../../bench/calibration/measured.json', import.meta.url);

describe('calibration', () => {
  let runs: readonly ComparedRun[] = [];

  beforeAll(async () => {
    runs = await compareAll(measuredSchema.parse(JSON.parse(readFileSync(file, 'utf8'))));
  });

  test.each(mixes.flatMap(({ id }) => contenders.map(({ name }) => [id, name] as const)))(
    'the makespan of %s tasks under %s is near the real one',
    (mix, contender) => {
      const row = rowsOf(runs).find((each) => each.mix === mix && each.contender === contender)!;
      expect(row.runs).toBeGreaterThanOrEqual(5);
      expect(Math.abs(row.error)).toBeLessThan(0.05);
      expect(Math.abs(row.errorInHindsight)).toBeLessThan(0.035);
    },
  );

  test('with fewer tasks than devices the lab says which devices are chosen', () => {
    for (const { real, simulated } of runs.filter((run) => run.real.mix === 'few')) {
      expect(simulated.tasks).toEqual(real.tasks);
    }
  });
});
