// The last decision: where a task went and why, and the table of criteria that it was made from.

import { useState } from 'preact/hooks';
import type { JobDetail } from '../../../../protocol/resources.ts';
import type {
  CriterionResource,
  LastDecision,
  RankedWorkerResource,
  SchedulingInfo,
} from '../../../../protocol/scheduling-info.ts';
import { Glyph, Icon, icons } from '../../look/glyphs.tsx';
import { Button } from '../../parts/button.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { pathOfJob, read, sentenceOf } from '../../store/endpoint.ts';
import { type Part, usePart } from '../../store/resource.ts';
import { grouped, percent } from '../../text/numbers.ts';
import { capitalized, counted, shortId } from '../../text/words.ts';
import { headOf, signed, valueText } from './criteria.ts';
import {
  type DecisionColumn,
  decisionColumns,
  decisionSentence,
  partsOfTask,
  isAssumed,
  termsOf,
  termTitle,
  termText,
} from './decision-story.ts';
import { scoreText } from './findings.ts';
import { methodOf } from './methods.ts';
import { shownRows } from './shown-rows.ts';

interface DecisionPanelProps {
  readonly part: Part<SchedulingInfo>;
  readonly nameOf: (id: string) => string;
  /** Only decisions about one's own tasks are told. */
  readonly isOfOwn: boolean;
}

export function DecisionPanel({ part, nameOf, isOfOwn }: DecisionPanelProps) {
  const last = part.value?.last_decision ?? null;
  return (
    <Panel
      title="The last decision"
      note={
        last === null ? undefined : <Story {...{ last, nameOf }} workers={part.value!.workers} />
      }
      isFlush
      class="scheduler-decision"
    >
      <PartOfPage part={part} what="the last decision" sentenceOf={sentenceOf}>
        {(info) =>
          info.last_decision === null ? (
            <p class="scheduler-none soft">
              {isOfOwn
                ? 'No decision about a task of yours was the last one.'
                : 'Nothing was decided since the coordinator started.'}
            </p>
          ) : (
            <Decision last={info.last_decision} workers={info.workers} nameOf={nameOf} />
          )
        }
      </PartOfPage>
    </Panel>
  );
}

interface StoryProps {
  readonly last: LastDecision;
  readonly workers: readonly RankedWorkerResource[];
  readonly nameOf: (id: string) => string;
}

function Story({ last, workers, nameOf }: StoryProps) {
  const { job, index } = partsOfTask(last.task_id);
  const head = usePart(`job:${job}`, (signal) =>
    read<JobDetail>(pathOfJob(job), { tasks: false }, signal),
  );
  return (
    <>
      <Time at={last.at} />
      {' · '}
      <a class="link" href={`/jobs/${job}/tasks/${index}`}>
        {`task ${grouped(index)} of ${head.value?.name ?? shortId(job)}`}
      </a>
      {` ${decisionSentence(last, workers, nameOf)}`}
    </>
  );
}

const fewRows = 8;

function Decision({ last, workers, nameOf }: StoryProps) {
  const [isLong, setLong] = useState(false);
  const { algorithm, effective_weights: weights } = last;
  const columns = decisionColumns(workers, weights);
  const terms = Object.keys(workers[0]?.details ?? {}).length === 0 ? [] : termsOf(algorithm);
  const { rows } = isLong ? { rows: workers } : shownRows(workers, fewRows);
  const marks = marksOf(rows, columns);
  if (workers.length === 0) return null;
  return (
    <>
      {/* A table of many columns is scrolled in its own box, by keys too. */}
      <div
        class="table-box wide"
        tabIndex={0}
        role="region"
        aria-label="Criteria of the last decision"
      >
        <table>
          <thead>
            <tr>
              <th scope="col">Worker</th>
              <th scope="col" class="number">
                {capitalized(methodOf(algorithm).score ?? 'place')}
              </th>
              {columns.map(({ id, weight, leftOut }) => (
                <th key={id} scope="col" class="number" title={leftOut ?? undefined}>
                  {leftOut === null ? headOf(id) : <s>{headOf(id)}</s>}
                  <small>{leftOut ?? percent(weight).replace('.0', '')}</small>
                </th>
              ))}
              {terms.map((term) => (
                <th key={term} scope="col" class="number">
                  <abbr title={termTitle(term)}>{term.toUpperCase()}</abbr>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.worker_id} {...{ row, columns, terms, algorithm, nameOf }} />
            ))}
          </tbody>
        </table>
      </div>
      <div class="scheduler-foot row">
        {workers.length > fewRows ? (
          <Button kind="bare" isSmall onPress={() => setLong(!isLong)}>
            {isLong ? 'Show fewer' : `Show all ${grouped(workers.length)}`}
          </Button>
        ) : null}
        {marks.imputed > 0 ? (
          <span class="mute">
            <i>~ not reported, or nothing has ended there: what is known of all stands in</i>
          </span>
        ) : null}
        {marks.projected > 0 ? (
          <span class="mute scheduler-mark">
            <Icon path={icons.up} size={10} />
            <Icon path={icons.down} size={10} />
            with the tasks that were given since the last report
          </span>
        ) : null}
        {columns.some(({ id }) => id === 'failure_rate') ? (
          <span class="mute">
            failures: an estimate, near that of all where few tasks have ended
          </span>
        ) : null}
        <span class="mute">
          {counted(workers.length, 'device')} compared; scores of different moments say nothing
          about each other.
        </span>
      </div>
    </>
  );
}

interface RowProps {
  readonly row: RankedWorkerResource;
  readonly columns: readonly DecisionColumn[];
  readonly terms: readonly string[];
  readonly algorithm: string;
  readonly nameOf: (id: string) => string;
}

function Row({ row, columns, terms, algorithm, nameOf }: RowProps) {
  const { worker_id: id, selected, reasons, criteria, details } = row;
  const why = reasons.map(({ text }) => text).join(', ');
  return (
    <tr class={row.eligible || selected ? '' : 'scheduler-barred'}>
      <th scope="row" class="reach-row">
        <span class="state" title={why === '' ? undefined : why}>
          {selected ? <Glyph name="completed" /> : <i class="scheduler-gap" />}
          <a href={`/workers/${id}`}>{nameOf(id)}</a>
          {selected ? <span class="unseen"> was chosen</span> : null}
        </span>
      </th>
      <td class="number strong">{scoreText(algorithm, row)}</td>
      {columns.map((column) => (
        <td key={column.id} class="number">
          <Cell
            id={column.id}
            cell={criteria[column.id]}
            isGuess={isAssumed(column.id, criteria)}
          />
        </td>
      ))}
      {terms.map((term) => (
        <td key={term} class="number">
          {termText(details[term])}
        </td>
      ))}
    </tr>
  );
}

interface CellProps {
  readonly id: string;
  readonly cell: CriterionResource | undefined;
  readonly isGuess: boolean;
}

function Cell({ id, cell, isGuess }: CellProps) {
  if (cell === undefined) return null;
  const { value, imputed, projected, contribution, kind } = cell;
  const text = valueText(id, value);
  return (
    <>
      {isGuess ? (
        <i title="no task has ended here: assumed from the rate of all">~ {text}</i>
      ) : imputed && value !== null ? (
        <i title="not reported: the mean of the others">~ {text}</i>
      ) : (
        <span
          class="scheduler-mark"
          title={projected ? 'with the tasks given since the last report' : undefined}
        >
          {projected ? <Icon path={kind === 'benefit' ? icons.down : icons.up} size={10} /> : null}
          {projected ? <span class="unseen">projected </span> : null}
          {text}
        </span>
      )}
      <small>{value === null ? '' : signed(contribution)}</small>
    </>
  );
}

function marksOf(rows: readonly RankedWorkerResource[], columns: readonly DecisionColumn[]) {
  const cells = rows.flatMap(({ criteria }) =>
    columns.flatMap(({ id }) => {
      const cell = criteria[id];
      return cell ? [{ ...cell, imputed: cell.imputed || isAssumed(id, criteria) }] : [];
    }),
  );
  return {
    imputed: cells.filter(({ imputed, value }) => imputed && value !== null).length,
    projected: cells.filter(({ projected }) => projected).length,
  };
}
