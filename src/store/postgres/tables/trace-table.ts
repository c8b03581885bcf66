// Traces of attempts: the stack of the error and what was printed.

import type { TraceRow, TraceSummary } from '../../rows.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { flag, integer, small, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';
import { joinVisible } from './visible.ts';

const output = text();
const shape = new RowShape<TraceRow>({
  jobKey: integer,
  index: small,
  attempt: small,
  stack: text(),
  output,
});
const summary = new RowShape<TraceSummary>({
  jobKey: integer,
  index: small,
  attempt: small,
  stack: text(),
  hasOutput: flag,
});

const upsertText = `insert into traces (${shape.columns()}) select * from ${shape.unnest('r')}
  on conflict (job_key, task_index, attempt) do update set
    ${shape.replaced(['jobKey', 'index', 'attempt'])}`;

export function traceStatements(rows: readonly TraceRow[]): Statement[] {
  const keyOf = (row: TraceRow) => `${row.jobKey} ${row.index} ${row.attempt}`;
  return inLayers(rows, keyOf, (some) => ({ text: upsertText, values: shape.arrays(some) }));
}

const listText = `select traces.job_key, traces.task_index, traces.attempt, traces.stack,
    traces.output is not null
  from traces ${joinVisible('traces')} where traces.job_key = $1 and traces.task_index = $2
  order by traces.attempt`;

/** Of one task, oldest first. */
export async function listTracesOf(
  query: Query,
  jobKey: number,
  index: number,
): Promise<readonly TraceSummary[]> {
  return (await query(listText, [jobKey, index])).map((row) => summary.decode(row));
}

const outputText = `select traces.output from traces ${joinVisible('traces')}
  where traces.job_key = $1 and traces.task_index = $2 and traces.attempt = $3`;

/** Null when nothing is kept. */
export async function readOutputOf(
  query: Query,
  jobKey: number,
  index: number,
  attempt: number,
): Promise<string | null> {
  const cell = (await query(outputText, [jobKey, index, attempt]))[0]?.[0] ?? null;
  return cell === null ? null : output.decode(cell);
}
