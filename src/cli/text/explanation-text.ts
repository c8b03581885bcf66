// The explanation of a task as text: its state, its story, what it waits for, and the decision that
// placed it, with the ranking of the workers. The sentences come from the coordinator.

import type {
  DecisionExplanation,
  StoryLine,
  TaskDetail,
  TaskExplanation,
  TaskWaiting,
  WaitingWorker,
} from '../../client/index.ts';
import { errorText } from './error-text.ts';
import { plainText } from './foreign-text.ts';
import { inputLines } from './input-text.ts';
import { paintStatus } from './paint-status.ts';
import {
  microseconds,
  type Names,
  type Page,
  rankingTable,
  scoreText,
  workerName,
} from './ranking.ts';
import { type Column, renderFacts, renderTable } from './table.ts';
import { type Clock, clockFor } from './times.ts';
import { counted, percent, retryNote } from './wording.ts';

const RESULT_SHOWN = 200;
/** Rows that are shown; `--json` has more. */
const ROWS_SHOWN = 20;

export interface ExplanationContext {
  readonly task: TaskDetail;
  readonly names: Names;
  /** For whoever has no worker. */
  readonly advice: string;
  /** Of the stack of its error. */
  readonly frames: readonly string[];
  readonly nowMs: number;
}

export function explanationText(
  explanation: TaskExplanation,
  around: ExplanationContext,
  page: Page,
): string {
  const { index, job_id, job_name, status, story, waiting, decision } = explanation;
  const name = job_name === null ? '' : ` (${job_name})`;
  const clock = clockFor([...story.map(({ at }) => at), decision?.at ?? null], around.nowMs);
  return [
    [
      plainText(`task ${index} of job ${job_id}${name}: ${paintStatus(status, page.colors)}`),
      ...inputLines(around.task, page.columns),
    ].join('\n'),
    plainText(clock.within(explanation.summary)),
    [
      ...story.map((line) => storyText(line, clock)),
      page.colors.dim(`  (times: ${clock.zone})`),
    ].join('\n'),
    ...(waiting === null ? [] : waitingParts(waiting, around, page)),
    ...(decision === null
      ? noteParts(explanation, clock, page)
      : decisionParts(decision, around, clock, page)),
    ...endParts(around),
  ].join('\n\n');
}

function storyText({ at, text }: StoryLine, clock: Clock): string {
  return plainText(`  ${clock.text(at)}  ${text}`);
}

function waitingParts(
  waiting: TaskWaiting,
  { advice, names }: ExplanationContext,
  page: Page,
): string[] {
  const { code, workers, worker_count: count } = waiting;
  // The task may not run anywhere yet, so the workers are no reason.
  if (code === 'retry_delay' || code === 'held') return [];
  if (count === 0) return [advice];
  const shown = workers.slice(0, ROWS_SHOWN);
  const columns: Column<readonly [string, string]>[] = [
    { title: 'WORKER', cell: ([worker]) => worker },
    { title: 'WHY IT DOES NOT RUN THERE', cell: ([, reason]) => reason },
  ];
  const table = renderTable(
    columns,
    shown.flatMap((worker) => reasonRows(worker, names)),
    page.colors.dim,
  );
  return [[table, ...moreText(count, shown.length)].join('\n')];
}

/** A row for each reason; only the first has the worker's name. */
function reasonRows(worker: WaitingWorker, names: Names): (readonly [string, string])[] {
  const name = workerName(worker.worker_id, names);
  const texts = worker.reasons.map(({ text }) => text);
  const first = worker.eligible ? ['it could take it now'] : [];
  return [...first, ...texts].map((text, at) => [at === 0 ? name : '', text]);
}

function moreText(count: number, shown: number): string[] {
  return count > shown ? [`… and ${counted(count - shown, 'worker')} more`] : [];
}

function noteParts(
  { decision_note: note, attempt }: TaskExplanation,
  clock: Clock,
  { colors }: Page,
): string[] {
  if (note === null || attempt === 0) return [];
  return [colors.dim(plainText(clock.within(note)))];
}

function decisionParts(
  decision: DecisionExplanation,
  { names }: ExplanationContext,
  clock: Clock,
  page: Page,
): string[] {
  const { workers, worker_count: count, effective_weights: weights } = decision;
  const rows = workers.filter((each, at) => at < ROWS_SHOWN || each.selected);
  const table = rankingTable(rows, weights, names, page);
  return [
    renderFacts(decisionFacts(decision, names, clock)),
    [table, ...moreText(count, rows.length)].join('\n'),
  ];
}

function decisionFacts(
  decision: DecisionExplanation,
  names: Names,
  clock: Clock,
): readonly (readonly [string, string])[] {
  const { algorithm, weighting, attempt, reason, score, ties, workers } = decision;
  const by = weighting === 'manual' ? algorithm : `${algorithm}, weights by ${weighting}`;
  const tied = ties.map((id) => workerName(id, names)).slice(0, ROWS_SHOWN);
  return [
    ['decided', `${clock.text(decision.at)} by ${by}, for attempt ${attempt}`],
    ['selected', `${workerName(decision.worker_id, names)}${scored(score)}`],
    ['because', reason],
    ['runner-up', runnerUpText(decision, names)],
    ...(tied.length === 0 ? [] : [['as good', tied.join(', ')] as const]),
    ...workers
      .filter(({ selected }) => !selected)
      .flatMap(({ worker_id: id, reasons }) =>
        reasons
          .filter(({ code }) => code !== 'no_free_slot')
          .map(({ text }): readonly [string, string] => [
            'left out',
            `${workerName(id, names)}: ${text}`,
          ]),
      )
      .slice(0, ROWS_SHOWN),
    ['it took', microseconds(decision.duration_microseconds)],
  ];
}

function runnerUpText({ runner_up: next }: DecisionExplanation, names: Names): string {
  if (next === null) return 'nobody else could take it';
  return `${workerName(next.worker_id, names)}${scored(next.score)}`;
}

function scored(score: number | null): string {
  return score === null ? '' : `, score ${scoreText(score)}`;
}

function endParts({ task, frames }: ExplanationContext): string[] {
  if (task.status === 'completed') return [`result: ${shortened(task.result)}`];
  if (task.status === 'failed') {
    const error = frames.length === 0 ? [] : [errorText(task.error, frames).join('\n')];
    const again = [`run it again:  muster retry ${task.job_id}`, ...retryNote(task.job_id)];
    return [...error, again.join('\n')];
  }
  if (task.status !== 'running' || task.progress === null) return [];
  if (task.progress === 0 && task.progress_message === null) return [];
  const message = task.progress_message === null ? '' : `: ${plainText(task.progress_message)}`;
  return [`progress: ${percent(task.progress)}${message}`];
}

function shortened(value: unknown): string {
  const text = plainText(JSON.stringify(value) ?? 'null');
  if (text.length <= RESULT_SHOWN) return text;
  return `${text.slice(0, RESULT_SHOWN)}… (all of it:  muster results JOB)`;
}
