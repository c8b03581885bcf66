// One run of the lab as text: what it measured, how good it could have been, and its time in small bars.

import type { Simulation } from '../../lab/simulation.ts';
import type { Timeline } from '../../lab/outcome/timeline.ts';
import type { Colors } from './colors.ts';
import type { ComparisonWords } from './comparison-text.ts';
import { decisionTimeText } from './decision-time-text.ts';
import { renderFacts, renderTable } from './table.ts';
import { counted, duration, grouped, percent } from './wording.ts';

export function simulationText(
  simulation: Simulation,
  words: Pick<ComparisonWords, 'rounded'>,
  colors: Colors,
): string {
  const { measures, bounds, scenario, contender, seed, timeline } = simulation;
  const span = measures.makespan_seconds;
  const times = (what: 'waiting' | 'turnaround' | 'job_turnaround') =>
    `mean ${seconds(measures[`${what}_seconds_mean`])}, ` +
    `95 % within ${seconds(measures[`${what}_seconds_p95`])}`;
  const facts = renderFacts([
    ['scenario', `${scenario}, seed ${seed}, ${contender}`],
    ['makespan', span === null ? 'not all jobs ended before the time was over' : seconds(span)],
    ['could be', couldBe(bounds, span)],
    ['throughput', `${rounded(measures.throughput_tasks_per_second)} tasks/s`],
    ['waiting', times('waiting')],
    ['turnaround', times('turnaround')],
    ...(simulation.jobs.length > 1 ? [['of jobs', times('job_turnaround')] as const] : []),
    ['tasks', tasksText(simulation)],
    ['slots busy', measures.utilisation === null ? '–' : percent(measures.utilisation)],
    ['fairness', `${rounded(measures.jains_index)} (Jain, of tasks per device; 1 is even)`],
    ['energy', `${grouped(Math.round(measures.energy_joules))} J by the declared model`],
    ['repeated', `${seconds(measures.work_repeated_seconds)} of work was done more than once`],
    ['choices', choices(simulation)],
  ]);
  const measured = simulation.decision_time;
  const decided =
    measured === undefined ? '' : `\n\n${decisionTimeText([measured], words, colors)}`;
  return `${facts}\n\n${timelineText(timeline, colors)}${decided}`;
}

function couldBe(
  { lower_bound_seconds: least, oracle_seconds: oracle }: Simulation['bounds'],
  span: number | null,
): string {
  const over = (one: number) =>
    span === null || one === 0 ? '' : ` (${percent(span / one - 1)} above)`;
  const known =
    oracle === null ? '' : `; ${seconds(oracle)} if all durations were known${over(oracle)}`;
  return `no less than ${seconds(least)}${over(least)}${known}`;
}

function tasksText({ measures }: Simulation): string {
  const { tasks_completed, tasks_failed, attempts, attempts_lost, attempts_failed } = measures;
  const failed = tasks_failed === 0 ? '' : `, ${grouped(tasks_failed)} failed`;
  return (
    `${grouped(tasks_completed)} completed${failed}, in ${counted(attempts, 'attempt')}: ` +
    `${grouped(attempts_lost)} lost, ${grouped(attempts_failed)} failed`
  );
}

function choices({ measures: { decisions, contested_share: share } }: Simulation): string {
  const much = share === null ? '' : `, ${percent(share)} with more than one worker to choose from`;
  return `${counted(decisions, 'decision')}${much}`;
}

interface TimelineRow {
  readonly name: string;
  readonly counts: readonly string[];
  readonly shares: readonly number[];
}

/** A row for each class, a cell for each step: how many of its slots had work. */
function timelineText(timeline: Timeline, colors: Colors): string {
  const { step_seconds: step, completed, classes } = timeline;
  const most = Math.max(...completed);
  const rows: TimelineRow[] = classes.map((each) => ({
    name: each.class,
    counts: [each.devices, each.slots, each.tasks_completed].map(grouped),
    shares: each.busy_slots.map((busy) => busy / each.slots),
  }));
  rows.push({
    name: `completed, at most ${rounded(most / step)}/s`,
    counts: ['', '', ''],
    shares: completed.map((tasks) => (most === 0 ? 0 : tasks / most)),
  });
  return renderTable<TimelineRow>(
    [
      { title: 'CLASS', cell: ({ name }) => name },
      ...['DEVICES', 'SLOTS', 'TASKS'].map((title, place) => ({
        title,
        align: 'right' as const,
        cell: ({ counts }: TimelineRow) => counts[place]!,
      })),
      { title: `BUSY SLOTS, ${seconds(step)} A CELL`, cell: ({ shares }) => bars(shares) },
    ],
    rows,
    colors.dim,
  );
}

const levels = ' ▁▂▃▄▅▆▇█';

/** From 0 to 1 each; what is more than nothing is seen. */
function bars(shares: readonly number[]): string {
  return shares
    .map((share) => {
      if (!(share > 0.001)) return levels[0];
      return levels[Math.min(8, Math.max(1, Math.round(share * 8)))];
    })
    .join('');
}

function seconds(value: number | null): string {
  return value === null ? '–' : duration(value * 1000);
}

/** Three digits that count. */
function rounded(value: number | null): string {
  return value === null ? '–' : String(Number(value.toPrecision(3)));
}
