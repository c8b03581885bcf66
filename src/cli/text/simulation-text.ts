// One run of the lab as text: what it measured, how good it could have been, and its time in small bars.

import type { Simulation } from '../../lab/simulation.ts';
import type { Timeline } from '../../lab/outcome/timeline.ts';
import type { Colors } from './colors.ts';
import { decisionTimeText } from './decision-time-text.ts';
import { renderFacts, renderTable } from './table.ts';
import { counted, duration, grouped, percent } from './wording.ts';

/** How figures are rounded: the same as in reports. */
export interface SimulationWords {
  readonly rounded: (value: number) => string;
  readonly percentText: (share: number) => string;
}

export function simulationText(
  simulation: Simulation,
  words: SimulationWords,
  colors: Colors,
): string {
  const { percentText } = words;
  const rounded = (value: number | null) => (value === null ? '–' : words.rounded(value));
  const { measures, bounds, scenario, contender, seed, timeline } = simulation;
  const span = measures.makespan_seconds;
  const times = (what: 'waiting' | 'turnaround' | 'job_turnaround') =>
    `mean ${seconds(measures[`${what}_seconds_mean`])}, ` +
    `95 % within ${seconds(measures[`${what}_seconds_p95`])}`;
  const facts = renderFacts([
    ['scenario', `${scenario}, seed ${seed}, ${contender}`],
    ['makespan', span === null ? 'not all jobs ended before the time was over' : seconds(span)],
    ...notEnded(simulation.jobs),
    ['could be', couldBe(bounds, span, percentText)],
    ['throughput', `${rounded(measures.throughput_tasks_per_second)} tasks/s`],
    ['waiting', times('waiting')],
    ['turnaround', times('turnaround')],
    ...(simulation.jobs.length > 1 ? [['of jobs', times('job_turnaround')] as const] : []),
    ['tasks', tasksText(simulation)],
    ['computing', computing(measures.utilisation)],
    ['fairness', `${rounded(measures.jains_index)} (Jain, of tasks per device; 1 is even)`],
    ['energy', energy(measures.energy_joules)],
    ['wasted', `${seconds(measures.work_wasted_seconds)} of work was done and did not count`],
    ['choices', choices(simulation)],
  ]);
  const measured = simulation.decision_time;
  const decided =
    measured === undefined ? '' : `\n\n${decisionTimeText([measured], words, colors)}`;
  return `${facts}\n\n${timelineText(timeline, words, colors)}${decided}`;
}

const toldJobs = 3;

/** What is left of the jobs that did not end. */
function notEnded(jobs: Simulation['jobs']): readonly (readonly [string, string])[] {
  const open = jobs.filter(({ ended_seconds }) => ended_seconds === null);
  if (open.length === 0) return [];
  const told = open
    .slice(0, toldJobs)
    .map(
      ({ name, completed, tasks, tasks_tried: tried }) =>
        `${name} with ${grouped(completed)} of ${counted(tasks, 'task')} completed, ` +
        `${grouped(tasks - tried)} without an attempt that is over`,
    );
  const more = open.length - told.length;
  return [['not ended', [...told, ...(more > 0 ? [`${grouped(more)} more`] : [])].join('; ')]];
}

function couldBe(
  bounds: Simulation['bounds'],
  span: number | null,
  percentText: SimulationWords['percentText'],
): string {
  if (bounds === null) return '–: tasks failed, so not all of the work was to be done';
  const { lower_bound_seconds: least, longest_first_seconds: longest } = bounds;
  const against = (one: number) => {
    if (span === null || one === 0) return '';
    const much = percentText(Math.abs(span / one - 1));
    return much === '0 %' ? ' (reached)' : ` (${much} ${span < one ? 'below' : 'above'} it)`;
  };
  const known =
    longest === null
      ? ''
      : `; ${seconds(longest)} by longest task first, durations known${against(longest)}`;
  return `no less than ${seconds(least)}${against(least)}${known}`;
}

function tasksText({ measures }: Simulation): string {
  const { tasks_completed, tasks_failed, attempts, attempts_lost, attempts_failed } = measures;
  const failed = tasks_failed === 0 ? '' : `, ${grouped(tasks_failed)} failed`;
  return (
    `${grouped(tasks_completed)} completed${failed}, in ${counted(attempts, 'attempt')}: ` +
    `${grouped(attempts_lost)} lost, ${grouped(attempts_failed)} failed`
  );
}

function computing(share: number | null): string {
  return share === null
    ? '–'
    : `${percent(share)} of the time that slots were there, without transfers`;
}

function energy(joules: number | null): string {
  if (joules === null) return '–: the scenario declares no watts';
  return `${grouped(Math.round(joules))} J by the declared model`;
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

/** A row for each class, a cell for each step: how many of its slots were occupied, transfers of results included. */
function timelineText(timeline: Timeline, { rounded }: SimulationWords, colors: Colors): string {
  const { step_seconds: step, completed, classes } = timeline;
  const most = Math.max(...completed);
  const rows: TimelineRow[] = classes.map((each) => ({
    name: each.class,
    counts: [each.devices, each.slots, each.tasks_completed].map(grouped),
    shares: each.occupied_slots.map((occupied) => occupied / each.slots),
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
      { title: `OCCUPIED SLOTS, ${seconds(step)} A CELL`, cell: ({ shares }) => bars(shares) },
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
