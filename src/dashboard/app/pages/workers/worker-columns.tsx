// The columns of the list of workers.

import { KindGlyph, State } from '../../look/glyphs.tsx';
import { deviceKindOf, kindNames, workerStates } from '../../look/states.ts';
import { stateOf } from '../../text/worker-states.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import type { Column } from '../../parts/table.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import { type Worker, workersHeardToMs } from '../../store/cluster.ts';
import { grouped, latency, measured, memory, percentOf, wholePercent } from '../../text/numbers.ts';
import { nameOf } from '../../text/words.ts';
import { bestScore, chosen, openId, outcomes, toggleChosen } from './list-state.ts';
import { Slots } from './slots.tsx';
import { labelTexts } from './worker-list.ts';
import { Battery } from './telemetry.tsx';
import { remarkOf, silenceSeconds, troubleOf } from './trouble.ts';

export interface ColumnsAsked {
  /** Completed tasks per second of work, by id. */
  readonly rates: ReadonlyMap<string, number>;
  readonly onOpen: (worker: Worker) => void;
  /** Somebody may change many at once. */
  readonly canSelect: boolean;
  /** It is filtered by labels, which are shown then. */
  readonly hasLabels: boolean;
  /** The algorithm in force scores. */
  readonly hasScores: boolean;
}

export function workerColumns({
  rates,
  onOpen,
  canSelect,
  hasLabels,
  hasScores,
}: ColumnsAsked): readonly Column<Worker>[] {
  return [
    ...(canSelect ? [selectionColumn] : []),
    {
      id: 'name',
      // Where there is much room all columns have some of it.
      width: '22%',
      head: 'Worker',
      cell: (worker) => <Name worker={worker} onOpen={onOpen} />,
      sortBy: nameOf,
      class: 'workers-name',
    },
    {
      id: 'state',
      width: '124px',
      head: 'State',
      cell: (worker) => <State name={stateOf(worker)} />,
      sortBy: (worker) => workerStates.indexOf(stateOf(worker)),
    },
    ...(hasLabels ? [labelsColumn] : []),
    {
      id: 'slots',
      width: '88px',
      head: 'Slots',
      cell: (worker) => <Slots worker={worker} />,
      sortBy: ({ slots }) => slots,
      isDescending: true,
      card: 'wide',
    },
    {
      id: 'cpu',
      width: '156px',
      head: 'CPU, 5 min',
      cell: (worker) => <Load worker={worker} />,
      sortBy: (worker) => told(worker, worker.telemetry.cpu_load_percent),
      isDescending: true,
      card: 'hidden',
    },
    {
      id: 'ram',
      width: '84px',
      head: 'RAM free',
      cell: (worker) => <Told text={memory(told(worker, worker.telemetry.ram_available_mb))} />,
      sortBy: (worker) => told(worker, worker.telemetry.ram_available_mb),
      isDescending: true,
      isNumber: true,
      class: 'full-only',
      card: 'hidden',
    },
    {
      id: 'battery',
      width: '72px',
      head: 'Battery',
      cell: (worker) =>
        worker.status === 'offline' ? <NotTold why={away} /> : <Battery worker={worker} />,
      sortBy: (worker) => told(worker, worker.telemetry.battery_level_percent),
      isNumber: true,
      card: 'hidden',
    },
    {
      id: 'latency',
      width: '80px',
      head: 'Latency',
      cell: (worker) => <Told text={latency(told(worker, worker.telemetry.network_latency_ms))} />,
      sortBy: (worker) => told(worker, worker.telemetry.network_latency_ms),
      isNumber: true,
      class: 'full-only',
      card: 'hidden',
    },
    {
      id: 'done',
      width: '92px',
      head: 'Tasks done',
      cell: ({ total_completed: count }) => grouped(count),
      sortBy: ({ total_completed: count }) => count,
      isDescending: true,
      isNumber: true,
      label: 'tasks done',
    },
    {
      id: 'rate',
      width: '90px',
      head: (
        <span
          class="workers-rate"
          title="Completed tasks per second of busy time of one slot, of whatever jobs it had: short tasks make it high. It does not say which device is faster."
        >
          Tasks/s a slot, of its jobs
        </span>
      ),
      cell: ({ id }) => <Told text={rateText(rates.get(id))} why="nothing was completed yet" />,
      sortBy: ({ id }) => rates.get(id) ?? null,
      isDescending: true,
      isNumber: true,
      card: 'hidden',
    },
    {
      id: 'failed',
      width: '72px',
      head: 'Failed',
      cell: (worker) => <Failed worker={worker} />,
      sortBy: shareFailed,
      isDescending: true,
      isNumber: true,
      label: 'failed',
    },
    ...(hasScores ? [scoreColumn] : []),
    {
      id: 'heard',
      width: '88px',
      head: 'Heard',
      cell: (worker) => <Heard worker={worker} />,
      sortBy: ({ last_heartbeat: at }) => Date.parse(at),
      isDescending: true,
      isNumber: true,
      class: 'full-only',
      card: 'hidden',
    },
  ];
}

const away = 'it is away: what it told last is old';
const unknownText = 'n/a';

/** What it measured; of one that is away that is too old to be told. */
function told({ status }: Worker, value: number | null | undefined): number | null {
  return status === 'offline' ? null : (value ?? null);
}

function rateText(perSecond: number | undefined): string {
  return perSecond === undefined || perSecond === 0 ? unknownText : measured(perSecond);
}

function Told({ text, why }: { readonly text: string; readonly why?: string }) {
  return text === unknownText ? <NotTold why={why ?? 'it does not tell it'} /> : <>{text}</>;
}

const selectionColumn: Column<Worker> = {
  id: 'select',
  head: <span class="unseen">Selected</span>,
  cell: (worker) => <Selected worker={worker} />,
  width: '34px',
  class: 'workers-select',
  card: 'hidden',
};

function Selected({ worker }: { readonly worker: Worker }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${nameOf(worker)}`}
      checked={chosen.value.has(worker.id)}
      onChange={() => toggleChosen(worker.id)}
    />
  );
}

const labelsColumn: Column<Worker> = {
  id: 'labels',
  width: '14%',
  head: 'Labels',
  cell: (worker) => <span class="cut">{labelTexts(worker).join(', ')}</span>,
  sortBy: (worker) => labelTexts(worker).join(', '),
  card: 'wide',
};

const scoreColumn: Column<Worker> = {
  id: 'score',
  width: '120px',
  head: 'Score',
  cell: (worker) => <Score score={worker.score} />,
  sortBy: ({ score }) => score,
  isDescending: true,
  isNumber: true,
  card: 'hidden',
};

interface NameProps {
  readonly worker: Worker;
  readonly onOpen: (worker: Worker) => void;
}

function Name({ worker, onOpen }: NameProps) {
  const kind = deviceKindOf(worker.type);
  return (
    <span class="workers-who">
      <KindGlyph kind={kind} />
      <span class="unseen">{kindNames[kind].one}</span>
      <span class="texts">
        <button
          type="button"
          class="opener cut"
          aria-expanded={openId.value === worker.id}
          onClick={() => onOpen(worker)}
        >
          {nameOf(worker)}
        </button>
        <Remark worker={worker} />
      </span>
    </span>
  );
}

function Remark({ worker }: { readonly worker: Worker }) {
  const trouble = troubleOf(worker, outcomes.value, workersHeardToMs.value);
  if (trouble !== null) return <small class="warn cut">{trouble.text}</small>;
  const remark = remarkOf(worker, outcomes.value);
  return remark === null ? null : <small class="cut">{remark}</small>;
}

function Load({ worker }: { readonly worker: Worker }) {
  const load = told(worker, worker.telemetry.cpu_load_percent);
  const line = worker.series?.cpu;
  return (
    <span class="workers-load">
      {line === undefined || load === null ? <i /> : <Sparkline values={line} most={100} />}
      <span class="number">
        {load === null ? (
          <NotTold why={worker.status === 'offline' ? away : 'it does not tell it'} />
        ) : (
          wholePercent(load)
        )}
      </span>
    </span>
  );
}

export function shareFailed({
  total_completed: completed,
  total_failed: failed,
}: Worker): number | null {
  return completed + failed === 0 ? null : failed / (completed + failed);
}

function Failed({ worker }: { readonly worker: Worker }) {
  const { total_completed: completed, total_failed: failed } = worker;
  if (completed + failed === 0) return <NotTold why="nothing has ended here yet" />;
  const kind = troubleOf(worker, outcomes.value, workersHeardToMs.value)?.kind;
  const isBad = kind === 'failing' || kind === 'quarantined';
  return (
    <span
      class={isBad ? 'bad strong-bad' : ''}
      title={`${grouped(failed)} of ${grouped(completed + failed)} attempts`}
    >
      {percentOf(failed, completed + failed)}
    </span>
  );
}

function Score({ score }: { readonly score: number | null }) {
  const best = bestScore.value;
  if (score === null) return <NotTold why="it had no score in the last decision" />;
  const share = best <= 0 ? 0 : Math.max(0, Math.min(1, score / best));
  return (
    <span class="workers-score">
      {score.toFixed(2)}
      <i aria-hidden="true">
        <i style={{ width: `${100 * share}%` }} />
      </i>
    </span>
  );
}

function Heard({ worker }: { readonly worker: Worker }) {
  const isSilent =
    worker.status === 'offline' || silenceSeconds(worker, workersHeardToMs.value) !== null;
  return (
    <span class={isSilent ? 'warn' : 'mute'}>
      <Time at={worker.last_heartbeat} isAgo />
    </span>
  );
}
