// The same devices, ranked by two algorithms: a line from each place to the other.

import { useRef, useState } from 'preact/hooks';
import type { SchedulerPreview } from '../../../../protocol/explanations.ts';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useTableBehind } from '../../parts/table-behind.tsx';
import { useWidth } from '../../parts/use-width.ts';
import { grouped } from '../../text/numbers.ts';
import { cutName } from '../../text/cut-name.ts';
import { counted } from '../../text/words.ts';
import { mayRun } from './effect.ts';
import { algorithmIds } from './methods.ts';
import { leastWidth, leftOf, Svg } from './pictures.tsx';
import { rankSlopes, type Slope, slopesSentence } from './rank-slopes.ts';
import { workerColumn } from './worker-column.tsx';

interface ComparePanelProps {
  /** The way of the lines; null: nothing is chosen to compare with. */
  readonly from: SchedulerPreview | null;
  readonly to: SchedulerPreview | null;
  readonly draft: SchedulerPreview;
  readonly chosen: string | null;
  readonly onChoose: (algorithm: string | null) => void;
  readonly nameOf: (id: string) => string;
}

const mostRows = 24;
const rowHeight = 22;
const top = 24;

export function ComparePanel(props: ComparePanelProps) {
  const { from, to, draft, chosen, onChoose, nameOf } = props;
  const [hasAll, setAll] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, leastWidth);
  const rows = (preview: SchedulerPreview | null) => ranked(preview?.workers ?? [], hasAll);
  const { slopes, leftOut, height } = rankSlopes(rows(from), rows(to), {
    most: mostRows,
    rowHeight,
  });
  const others = draft.workers.length - ranked(draft.workers, false).length;
  const names = { left: from?.algorithm ?? '', right: to?.algorithm ?? '' };
  const sentence = slopesSentence(slopes, names, nameOf);
  const behind = useTableBehind({
    label: 'Ranks of two algorithms',
    rows: slopes,
    keyOf: ({ workerId }) => workerId,
    columns: [
      workerColumn(({ workerId }: Slope) => workerId, nameOf),
      rankColumn('left', names.left, ({ left }) => left),
      rankColumn('right', names.right, ({ right }) => right),
    ],
  });
  const isShown = from !== null && to !== null;
  return (
    <Panel
      title={isShown ? `From ${names.left} to ${names.right}` : 'Compare the ranking'}
      note={isShown ? 'ranks under the same weights; dark: first, or three places away' : undefined}
      class="scheduler-compare"
      actions={
        <>
          <label class="field scheduler-with">
            <span>compare with</span>
            <select
              class="input"
              value={chosen ?? ''}
              onChange={({ currentTarget: { value } }) => onChoose(value === '' ? null : value)}
            >
              <option value="">nothing</option>
              {algorithmIds
                .filter((id) => id !== draft.algorithm)
                .map((id) => (
                  <option key={id} value={id}>
                    {id}
                  </option>
                ))}
            </select>
          </label>
          {isShown ? behind.button : null}
        </>
      }
    >
      {isShown ? behind.table : null}
      <div ref={box} class="stack" hidden={isShown && behind.isOpen}>
        {isShown ? (
          <>
            <SlopesPicture {...{ slopes, width, height, names, nameOf, finding: sentence }} />
            <p class="soft">
              {sentence}
              {leftOut > 0 ? ` ${grouped(leftOut)} between are not drawn.` : ''}
              {others > 0 && !hasAll ? ` ${counted(others, 'device')} may not run it.` : ''}
            </p>
            {others > 0 ? (
              <span>
                <Button kind="bare" isSmall onPress={() => setAll(!hasAll)}>
                  {hasAll ? 'Only those that may run it' : 'Show all devices'}
                </Button>
              </span>
            ) : null}
          </>
        ) : (
          <p class="soft">
            {`Choose another algorithm to see which of ${counted(draft.workers.length, 'device')} it would rank elsewhere.`}
          </p>
        )}
      </div>
    </Panel>
  );
}

/** Ranks count those that are there. */
function ranked(workers: SchedulerPreview['workers'], hasAll: boolean) {
  const there = hasAll ? workers : workers.filter(mayRun);
  return there.map((worker, place) => ({ ...worker, rank: place + 1 }));
}

function rankColumn(id: string, head: string, rankOf: (slope: Slope) => number) {
  return { id, head, cell: rankOf, sortBy: rankOf, isNumber: true, label: head };
}

interface SlopesPictureProps {
  readonly slopes: readonly Slope[];
  readonly width: number;
  readonly height: number;
  readonly names: { readonly left: string; readonly right: string };
  readonly nameOf: (id: string) => string;
  readonly finding: string;
}

function SlopesPicture({ slopes, width, height, names, nameOf, finding }: SlopesPictureProps) {
  const side = leftOf(width) + 28;
  const most = width < 500 ? 12 : 21;
  const [from, to] = [side, width - side];
  return (
    <Svg {...{ width, height: height + top, finding }}>
      <text x={from} y="12" text-anchor="end">
        {names.left}
      </text>
      <text x={to} y="12">
        {names.right}
      </text>
      {slopes.map(({ workerId, left, right, leftY, rightY, isMarked }) => {
        const [y1, y2] = [top + leftY, top + rightY];
        const name = nameOf(workerId);
        const short = cutName(name, most);
        return (
          <g key={workerId} class={isMarked ? 'slope marked' : 'slope'}>
            <title>{`${name}: ${left} by ${names.left}, ${right} by ${names.right}`}</title>
            <path d={`M${from + 8} ${y1}L${to - 8} ${y2}`} />
            <circle cx={from + 8} cy={y1} r="2.5" />
            <circle cx={to - 8} cy={y2} r="2.5" />
            <text class="name" x={from} y={y1 + 4} text-anchor="end">
              {`${short}  ${left}`}
            </text>
            <text class="name" x={to} y={y2 + 4}>
              {`${right}  ${short}`}
            </text>
          </g>
        );
      })}
    </Svg>
  );
}
