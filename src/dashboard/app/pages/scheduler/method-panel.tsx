// The picture that fits the method, and the numbers behind it.

import { useRef } from 'preact/hooks';
import { criterionIds } from '../../../../protocol/criteria.ts';
import type { CriterionDescription, SchedulerPreview } from '../../../../protocol/explanations.ts';
import type { RankedWorkerResource } from '../../../../protocol/scheduling-info.ts';
import { colourOf } from '../../look/criterion-colours.ts';
import { Panel } from '../../parts/panel.tsx';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import { useWidth } from '../../parts/use-width.ts';
import { grouped } from '../../text/numbers.ts';
import { headOf, signed } from './criteria.ts';
import { findingOf, scoreText } from './findings.ts';
import { methodOf } from './methods.ts';
import { AxisPicture, BarsPicture, BorderPicture, leastWidth, ScoreStrip } from './pictures.tsx';
import { shownRows } from './shown-rows.ts';
import { workerColumn } from './worker-column.tsx';

interface MethodPanelProps {
  readonly preview: SchedulerPreview;
  /** As if nothing ran. */
  readonly isIdle: boolean;
  readonly criteria: readonly CriterionDescription[];
  readonly nameOf: (id: string) => string;
}

const mostRows = 20;
/** So few more are drawn as well. */
const fewMore = 3;
const mostOnPhones = 12;

export function MethodPanel({ preview, isIdle, criteria, nameOf }: MethodPanelProps) {
  const { algorithm, workers, worker_count: count, effective_weights: weights } = preview;
  const { title, note, isWeighted } = methodOf(algorithm);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, leastWidth);
  const hasParts = workers.some((row) => Object.keys(row.criteria).length > 0);
  const weighed = isWeighted && hasParts ? criterionIds.filter((id) => weights[id]! > 0) : [];
  const behind = useTableBehind({
    label: title,
    rows: workers,
    keyOf: ({ worker_id: id }) => id,
    columns: columnsOf(algorithm, weighed, nameOf),
  });
  const most = width < 500 ? mostOnPhones : mostRows;
  const isAll = workers.length <= most + fewMore;
  const { rows, leftOut } = shownRows(workers, isAll ? workers.length : most);
  const countsTasks = methodOf(algorithm).score === 'tasks';
  const finding = findingOf(algorithm, workers, nameOf);
  const picture = { algorithm, rows, width, finding, nameOf };
  const isStrip = leftOut > 0 && workers.some(({ score }) => score !== null);
  return (
    <Panel
      title={title}
      note={isIdle && countsTasks ? `${note}; as if all slots were free` : note}
      actions={behind.button}
      class="scheduler-method"
    >
      {behind.table}
      <div ref={box} class="stack" hidden={behind.isOpen}>
        {workers.length === 1 ? <p>One device: nothing to choose.</p> : null}
        {isWeighted && hasParts ? (
          algorithm === 'mabac' ? (
            <BorderPicture {...picture} />
          ) : (
            <BarsPicture {...picture} />
          )
        ) : (
          <AxisPicture {...picture} />
        )}
        {leftOut === 0 ? null : (
          <p class="soft">{leftOutSentence(rows.length, workers.length, count)}</p>
        )}
        {isStrip ? (
          <ScoreStrip rows={workers} width={width} finding={`Scores of all: ${finding}`} />
        ) : null}
        {isWeighted && !hasParts ? (
          <p class="mute">What each criterion adds is not shown to you.</p>
        ) : null}
        {weighed.length === 0 ? null : (
          <div class="scheduler-key">
            {weighed.map((id) => (
              <span key={id}>
                <i style={{ background: colourOf(id) }} />
                {criteria.find(({ config_key: key }) => key === id)?.name ?? headOf(id)}
                {id === 'failure_rate' ? ', estimated' : ''}
              </span>
            ))}
            {rows.some(({ eligible }) => !eligible) ? <span>pale: cannot take it now</span> : null}
          </div>
        )}
      </div>
    </Panel>
  );
}

function leftOutSentence(shown: number, told: number, count: number): string {
  const all =
    told < count ? `${grouped(told)} of ${grouped(count)} are told` : `of ${grouped(count)}`;
  return `Drawn are the best, the chosen one and the worst: ${grouped(shown)}${told < count ? '; ' : ' '}${all}.`;
}

function columnsOf(
  algorithm: string,
  weighed: readonly string[],
  nameOf: (id: string) => string,
): readonly BehindColumn<RankedWorkerResource>[] {
  return [
    {
      id: 'rank',
      head: 'Rank',
      cell: ({ rank }) => rank,
      sortBy: ({ rank }) => rank,
      isNumber: true,
      width: '60px',
    },
    workerColumn(({ worker_id: id }) => id, nameOf),
    {
      id: 'score',
      head: methodOf(algorithm).score ?? 'place',
      cell: (row) => scoreText(algorithm, row),
      sortBy: ({ score, rank }) => score ?? rank,
      isNumber: true,
      isDescending: methodOf(algorithm).isLargerBetter,
    },
    ...weighed.map(
      (id): BehindColumn<RankedWorkerResource> => ({
        id,
        head: headOf(id),
        cell: ({ criteria }) => signed(criteria[id]?.contribution ?? 0),
        sortBy: ({ criteria }) => criteria[id]?.contribution ?? null,
        isNumber: true,
        isDescending: true,
        label: headOf(id),
      }),
    ),
    {
      id: 'why',
      head: 'Not chosen because',
      cell: ({ reasons }) => reasons.map(({ text }) => text).join(', '),
      sortBy: ({ reasons }) => reasons.map(({ text }) => text).join(', '),
      card: 'wide',
    },
  ];
}
