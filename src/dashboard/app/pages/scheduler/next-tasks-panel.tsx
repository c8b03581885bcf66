// Where the next tasks would go: a box for each, or under wrr a roll of the turns. Outlined: lost against what is in
// force; hatched: gained.

import { useRef } from 'preact/hooks';
import type { SchedulerPreview } from '../../../../protocol/explanations.ts';
import { Choice } from '../../parts/choices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useTableBehind } from '../../parts/table-behind.tsx';
import { useWidth } from '../../parts/use-width.ts';
import { grouped } from '../../text/numbers.ts';
import { cutName } from '../../text/cut-name.ts';
import { requirementsInWords } from '../../text/requirements.ts';
import { counted, nameOf as nameOfJob } from '../../text/words.ts';
import type { JobHead } from '../../store/cluster.ts';
import { anyJob } from './next-job.ts';
import {
  countChoices,
  type NextTasks,
  nextTasks,
  nextTasksSentence,
  noDifference,
  turnsOf,
} from './next-tasks.ts';
import { leastWidth, leftOf, RowHint, Svg } from './pictures.tsx';
import { workerColumn } from './worker-column.tsx';

interface NextTasksPanelProps {
  readonly draft: SchedulerPreview;
  readonly inForce: SchedulerPreview;
  /** They differ. */
  readonly isCompared: boolean;
  readonly count: number;
  readonly slots: number;
  readonly assume: 'now' | 'idle';
  readonly waiting: readonly JobHead[];
  /** Whose tasks they are; null: tasks that any device may take. */
  readonly job: JobHead | null;
  readonly onJob: (id: string) => void;
  readonly onCount: (count: number) => void;
  readonly onAssume: (assume: 'now' | 'idle') => void;
  readonly nameOf: (id: string) => string;
}

const mostRows = 20;
const rowHeight = 22;

export function NextTasksPanel(props: NextTasksPanelProps) {
  const { draft, inForce, isCompared, count, slots, assume, onCount, onAssume, nameOf } = props;
  const { waiting, job, onJob } = props;
  const requires = requirementsInWords(job?.options?.requirements);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, leastWidth);
  const rows = nextTasks(draft.placements ?? [], isCompared ? (inForce.placements ?? []) : null);
  const unplaced = draft.unplaced ?? 0;
  const told = { rows, workers: draft.worker_count, unplaced, isCompared };
  const sentence = nextTasksSentence(told);
  const behind = useTableBehind({
    label: 'Where the next tasks would go',
    rows,
    keyOf: ({ workerId }) => workerId,
    columns: [
      workerColumn(({ workerId }: NextTasks) => workerId, nameOf),
      numberColumn('tasks', 'Tasks', ({ tasks }) => tasks),
      numberColumn('before', 'In force', ({ before }) => before),
    ],
  });
  const isRoll = draft.algorithm === 'wrr';
  const picture = { rows: rows.slice(0, mostRows), isCompared, width, nameOf, finding: sentence };
  return (
    <Panel
      title="Where the next tasks would go"
      note={isRoll ? 'a mark is a turn: each device keeps its rhythm' : undefined}
      actions={
        <>
          {waiting.length === 0 ? null : (
            <label class="field scheduler-with">
              <span>of</span>
              <select
                class="input"
                value={job?.id ?? anyJob}
                onChange={({ currentTarget: { value } }) => onJob(value)}
              >
                {waiting.map((each) => (
                  <option key={each.id} value={each.id}>
                    {nameOfJob(each)}
                  </option>
                ))}
                <option value={anyJob}>a job that any may run</option>
              </select>
            </label>
          )}
          <Choice
            label="Which slots are free"
            options={[
              { value: 'now', text: 'as it is now' },
              { value: 'idle', text: 'all slots free' },
            ]}
            chosen={assume}
            onChoose={onAssume}
          />
          <Choice
            label="How many tasks"
            options={countChoices(slots, count).map((each) => ({
              value: String(each),
              text: grouped(each),
            }))}
            chosen={String(count)}
            onChoose={(value) => onCount(Number(value))}
          />
          {behind.button}
        </>
      }
    >
      {behind.table}
      <div ref={box} class="stack" hidden={behind.isOpen}>
        {rows.length === 0 ? (
          <p>
            No slot that may run it is free. {noDifference} Look at it as if all slots were free.
          </p>
        ) : isRoll ? (
          <TurnsPicture {...picture} order={draft.order ?? []} />
        ) : (
          <TasksPicture {...picture} />
        )}
        {rows.length > mostRows ? (
          <p class="mute">{`${counted(rows.length - mostRows, 'more device')} in the table.`}</p>
        ) : null}
        <p class="soft">
          {requires === null ? '' : `It requires ${requires}. `}
          {rows.length === 0 ? '' : sentence}
          {isCompared && !isRoll && rows.length > 0
            ? ' Outline: lost against what is in force; hatched: gained.'
            : ''}
          {draft.algorithm === 'wrr' || rows.length === 0
            ? ''
            : ' Each placed task counts for its device until it reports.'}
        </p>
      </div>
    </Panel>
  );
}

function numberColumn(id: string, head: string, valueOf: (row: NextTasks) => number) {
  return {
    id,
    head,
    cell: valueOf,
    sortBy: valueOf,
    isNumber: true,
    isDescending: true,
    label: head.toLowerCase(),
  };
}

interface TasksPictureProps {
  readonly rows: readonly NextTasks[];
  readonly isCompared: boolean;
  readonly width: number;
  readonly finding: string;
  readonly nameOf: (id: string) => string;
}

const right = 64;
const largestBox = 20;

function TasksPicture({ rows, isCompared, width, finding, nameOf }: TasksPictureProps) {
  const left = leftOf(width);
  const most = Math.max(1, ...rows.map(({ tasks, before }) => Math.max(tasks, before)));
  const step = Math.min(largestBox, (width - left - right) / most);
  const box = Math.max(1, step - (step > 5 ? 2 : 0.5));
  return (
    <Svg {...{ width, height: rows.length * rowHeight, finding }}>
      <Hatch />
      {rows.map((row, place) => {
        const y = place * rowHeight;
        const kind = (at: number): string =>
          at < row.kept ? 'kept' : at < row.tasks ? 'gained' : 'lost';
        return (
          <g key={row.workerId}>
            <RowHint
              text={`${nameOf(row.workerId)}: ${counted(row.tasks, 'task')}`}
              {...{ y, width }}
            />
            <NextName {...{ row, y, left, nameOf }} />
            {Array.from({ length: Math.max(row.tasks, row.before) }, (_, at) => (
              <rect
                key={at}
                class={`task ${kind(at)}`}
                x={left + at * step}
                y={y + 6}
                width={box}
                height="10"
                rx="1.5"
              />
            ))}
            <Counts {...{ row, y, width, isCompared }} />
          </g>
        );
      })}
    </Svg>
  );
}

function TurnsPicture(props: TasksPictureProps & { readonly order: readonly string[] }) {
  const { rows, isCompared, width, finding, nameOf, order } = props;
  const left = leftOf(width);
  const turns = turnsOf(order);
  const step = (width - left - right) / Math.max(1, order.length);
  return (
    <Svg {...{ width, height: rows.length * rowHeight, finding }}>
      {rows.map((row, place) => {
        const y = place * rowHeight;
        return (
          <g key={row.workerId}>
            <RowHint
              text={`${nameOf(row.workerId)}: ${counted(row.tasks, 'task')}`}
              {...{ y, width }}
            />
            <NextName {...{ row, y, left, nameOf }} />
            <rect class="roll" x={left} y={y + 4} width={width - left - right} height="14" rx="3" />
            {turns.get(row.workerId)?.map((turn) => (
              <rect
                key={turn}
                class="task kept"
                x={left + turn * step}
                y={y + 6}
                width={Math.max(1.5, Math.min(4, step - 1))}
                height="10"
              />
            ))}
            <Counts {...{ row, y, width, isCompared }} />
          </g>
        );
      })}
    </Svg>
  );
}

function Hatch() {
  return (
    <defs>
      <pattern
        id="scheduler-hatch"
        width="4"
        height="4"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect class="hatch" width="2" height="4" />
      </pattern>
    </defs>
  );
}

interface NextNameProps {
  readonly row: NextTasks;
  readonly y: number;
  readonly left: number;
  readonly nameOf: (id: string) => string;
}

function NextName({ row: { workerId }, y, left, nameOf }: NextNameProps) {
  return (
    <text class="name" x="0" y={y + 15}>
      {cutName(nameOf(workerId), left > 120 ? 21 : 12)}
    </text>
  );
}

interface CountsProps {
  readonly row: NextTasks;
  readonly y: number;
  readonly width: number;
  readonly isCompared: boolean;
}

function Counts({ row: { tasks, before }, y, width, isCompared }: CountsProps) {
  const more = tasks - before;
  const sign = more > 0 ? '+' : more < 0 ? '\u2212' : '\u00b1';
  return (
    <>
      <text class="score" x={width - (isCompared ? 32 : 0)} y={y + 15} text-anchor="end">
        {grouped(tasks)}
      </text>
      {isCompared ? (
        <text x={width} y={y + 15} text-anchor="end">
          {`${sign}${Math.abs(more)}`}
        </text>
      ) : null}
    </>
  );
}
