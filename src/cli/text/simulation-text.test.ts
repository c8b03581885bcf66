import { describe, expect, test } from 'vitest';
import type { Measures } from '../../lab/outcome/measures.ts';
import type { Simulation } from '../../lab/simulation.ts';
import { createColors } from './colors.ts';
import { simulationText } from './simulation-text.ts';

const measures: Measures = {
  makespan_seconds: 840,
  throughput_tasks_per_second: 0.01,
  jains_index: 1,
  waiting_seconds_mean: 1,
  waiting_seconds_p95: 2,
  turnaround_seconds_mean: 3,
  turnaround_seconds_p95: 4,
  job_turnaround_seconds_mean: 5,
  job_turnaround_seconds_p95: 6,
  energy_joules: 1000,
  work_wasted_seconds: 0,
  utilisation: 0.5,
  tasks_completed: 8,
  tasks_failed: 0,
  tasks_failed_percent: 0,
  attempts: 8,
  attempts_lost: 0,
  attempts_failed: 0,
  decisions: 8,
  contested_share: 0.5,
};

const made: Simulation = {
  simulation: 1,
  muster: 'test',
  scenario: 'made',
  seed: 1,
  contender: 'fifo',
  measures,
  bounds: { lower_bound_seconds: 100, longest_first_seconds: 1000 },
  timeline: { step_seconds: 14, completed: [8], classes: [] },
  devices: [],
  jobs: [],
};

const words = {
  rounded: (value: number) => value.toPrecision(3),
  percentText: (share: number) => `${Math.round(share * 100)} %`,
};

/** The line of this name, without it. */
function line(name: string, more: Partial<Simulation> = {}): string {
  const text = simulationText({ ...made, ...more }, words, createColors(false));
  return text
    .split('\n')
    .find((each) => each.startsWith(`${name} `))!
    .slice(name.length)
    .trim();
}

describe('what a run could have been', () => {
  test('may be many times better, and longest task first may be worse', () => {
    expect(line('could be')).toBe(
      'no less than 1 min 40 s (740 % above it); ' +
        '16 min 40 s by longest task first, durations known (16 % below it)',
    );
  });

  test('is reached, or not compared with a run that did not end', () => {
    const bounds = { lower_bound_seconds: 840, longest_first_seconds: null };
    expect(line('could be', { bounds })).toBe('no less than 14 min (reached)');
    const endless = { ...measures, makespan_seconds: null };
    expect(line('could be', { bounds, measures: endless })).toBe('no less than 14 min');
  });

  test('is not told where tasks failed', () => {
    expect(line('could be', { bounds: null })).toMatch(/^–: tasks failed/);
  });
});

test('energy is told where watts are declared', () => {
  expect(line('energy')).toMatch(/^1.000 J by the declared model$/);
  const measured = { ...measures, energy_joules: null };
  expect(line('energy', { measures: measured })).toBe('–: the scenario declares no watts');
});
