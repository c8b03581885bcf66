// All tasks by their indices, however many: a range of them, and what is under the cursor.

import { useState } from 'preact/hooks';
import type {
  TaskCounts,
  TaskListing,
  TaskMap,
  TaskStatus,
} from '../../../../protocol/resources.ts';
import { Glyph, Icon, icons } from '../../look/glyphs.tsx';
import { taskStates } from '../../look/states.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/choices.tsx';
import { cellCount, countsOf, namedRange, rangeOf } from '../../parts/heat-cells.ts';
import { HeatGrid } from '../../parts/heat-grid.tsx';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { go, query, setQuery } from '../../shell/address.ts';
import type { JobHead } from '../../store/cluster.ts';
import { pathOfJob, read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { isOpen } from '../../store/job-share.ts';
import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { pathOfTask } from './hold-ups.ts';
import { useAgain } from './job-reads.ts';
import { rangeIn, rangeText } from './task-range.ts';
import { TasksOfState } from './tasks-of-state.tsx';

interface TasksPanelProps {
  readonly head: JobHead;
  readonly changes: number;
  readonly nameOfWorker: (id: string) => string;
}

const mostCells = 2_500;
const mostCellsOfPhone = 900;
/** Cells of at most so many tasks name them. */
const mostNamed = 20;

export function TasksPanel({ head, changes, nameOfWorker }: TasksPanelProps) {
  const { id, task_count: count } = head;
  const range = rangeIn(query.value.get('range'), count);
  const state = taskStates.find((each) => each === query.value.get('state')) ?? null;
  const isWhole = rangeText(range, count) === null;
  const cells = innerWidth <= 820 ? mostCellsOfPhone : mostCells;
  const map = usePart(`tasks of ${id} ${range.from} ${range.to}`, (signal) =>
    read<TaskMap>(`${pathOfJob(id)}/task-map`, { ...range, cells }, signal),
  );
  useAgain(changes, 0, map);
  const [hovered, setHovered] = useState<number | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const look = (next: { readonly from: number; readonly to: number }): void => {
    setChosen(null);
    setHovered(null);
    setQuery({ range: rangeText(next, count) });
  };
  const behind = useTableBehind({
    label: 'Tasks by cell',
    rows: map.value === null ? [] : cellsOf(map.value),
    keyOf: ({ from }) => String(from),
    columns: cellColumns,
  });
  const width = map.value?.width ?? 1;
  const note = `${grouped(range.to - range.from)} by index${width === 1 ? '' : `, ${grouped(width)} to a cell`}`;
  const showState = (of: TaskStatus): void => setQuery({ state: of === state ? null : of });
  return (
    <Panel
      id="tasks"
      span={isOpen(head) ? 8 : 12}
      title="Tasks"
      note={note}
      actions={
        <>
          {isWhole ? null : (
            <Button isSmall onPress={() => look({ from: 0, to: count })}>
              <Icon path={icons.left} size={12} /> All {grouped(count)}
            </Button>
          )}
          {behind.button}
        </>
      }
    >
      <PartOfPage part={map} what="the tasks" sentenceOf={sentenceOf} lines={6}>
        {(value) => {
          if (behind.isOpen) return behind.table;
          const open = (cell: number): void => {
            const of = rangeOf(value, cell);
            if (value.width === 1) go(pathOfTask(id, of.from));
            else look(of);
          };
          const shown =
            [hovered, chosen].find((cell) => cell !== null && cell < cellCount(value)) ?? null;
          return (
            <div class="job-tasks">
              <HeatGrid
                map={value}
                chosen={chosen}
                onChoose={setChosen}
                onHover={setHovered}
                onOpen={open}
                onRange={look}
              />
              <div class="job-peek">
                {shown === null ? (
                  <p class="mute">
                    Point at a cell or touch it, and it is told here.
                    <span class="wide-only"> Drag to look closer.</span> The counts are exact
                    {value.width === 1
                      ? '.'
                      : '; the colour is a step of a third, a cross is one failed or more.'}
                  </p>
                ) : (
                  <Peek
                    jobId={id}
                    map={value}
                    cell={shown}
                    isChosen={shown === chosen}
                    onLook={() => open(shown)}
                    nameOfWorker={nameOfWorker}
                  />
                )}
              </div>
            </div>
          );
        }}
      </PartOfPage>
      <div class="chips job-states" role="group" aria-label="List the tasks of a state">
        {isWhole ? null : <span class="mute">all:</span>}
        {taskStates
          .filter((each) => head.counts[each] > 0 || each === state)
          .map((each) => (
            <Chip key={each} isChosen={each === state} onPress={() => showState(each)}>
              <Glyph name={each} /> {each} <b>{grouped(head.counts[each])}</b>
            </Chip>
          ))}
      </div>
      {state === null ? null : (
        <TasksOfState
          key={state}
          jobId={id}
          state={state}
          total={head.counts[state]}
          changes={changes}
          nameOfWorker={nameOfWorker}
        />
      )}
    </Panel>
  );
}

interface CellRow {
  readonly from: number;
  readonly to: number;
  readonly counts: TaskCounts;
}

function cellsOf(map: TaskMap): readonly CellRow[] {
  return Array.from({ length: cellCount(map) }, (_, cell) => ({
    ...rangeOf(map, cell),
    counts: countsOf(map, cell),
  }));
}

const cellColumns: readonly BehindColumn<CellRow>[] = [
  {
    id: 'from',
    head: 'Tasks',
    card: 'wide',
    sortBy: ({ from }) => from,
    csv: ({ from, to }) => `${from} to ${to - 1}`,
    cell: namedRange,
  },
  ...taskStates.map((state) => ({
    id: state,
    head: state,
    label: state,
    isNumber: true,
    isDescending: true,
    sortBy: ({ counts }: CellRow) => counts[state],
    cell: ({ counts }: CellRow) => grouped(counts[state]),
  })),
];

interface PeekProps {
  readonly jobId: string;
  readonly map: TaskMap;
  readonly cell: number;
  readonly isChosen: boolean;
  readonly onLook: () => void;
  readonly nameOfWorker: (id: string) => string;
}

function Peek({ jobId, map, cell, isChosen, onLook, nameOfWorker }: PeekProps) {
  const counts = countsOf(map, cell);
  const range = rangeOf(map, cell);
  const tasks = range.to - range.from;
  const isNamed = tasks <= mostNamed && (isChosen || map.width === 1);
  return (
    <>
      <h3>{namedRange(range)}</h3>
      <dl>
        {taskStates
          .filter((state) => counts[state] > 0)
          .map((state) => (
            <div key={state}>
              <dt>
                <Glyph name={state} size={12} /> {state}
              </dt>
              <dd>{grouped(counts[state])}</dd>
            </div>
          ))}
      </dl>
      {isNamed ? (
        <NamedTasks jobId={jobId} from={range.from} count={tasks} nameOfWorker={nameOfWorker} />
      ) : null}
      {isChosen ? (
        <Button isSmall onPress={onLook}>
          {tasks === 1 ? `Open task ${grouped(range.from)}` : 'Look closer'}
        </Button>
      ) : (
        <p class="mute">
          {tasks === 1 ? 'Click to open it.' : `Click to hold it: ${counted(tasks, 'task')}.`}
        </p>
      )}
    </>
  );
}

interface NamedTasksProps {
  readonly jobId: string;
  readonly from: number;
  readonly count: number;
  readonly nameOfWorker: (id: string) => string;
}

function NamedTasks({ jobId, from, count, nameOfWorker }: NamedTasksProps) {
  const after = from === 0 ? {} : { after: from - 1 };
  const tasks = usePart(`named ${jobId} ${from} ${count}`, (signal) =>
    read<readonly TaskListing[]>(`${pathOfJob(jobId)}/tasks`, { ...after, limit: count }, signal),
  );
  if (tasks.value === null) return null;
  return (
    <ul class="job-named">
      {tasks.value.map(({ index, status, attempt, worker_id: worker, error }) => (
        <li key={index}>
          <Glyph name={status} size={12} />
          <a class="link" href={pathOfTask(jobId, index)}>
            {grouped(index)}
          </a>{' '}
          <span class="soft">
            {worker === null ? status : `attempt ${grouped(attempt)} on ${nameOfWorker(worker)}`}
            {error === null ? '' : `: ${error.type}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
