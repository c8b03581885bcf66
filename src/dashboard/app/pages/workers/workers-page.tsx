// Who is here, who is slow, who fails.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { WorkerPerformance } from '../../../../protocol/evaluation.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Bones, Empty, PartOfPage } from '../../parts/panel.tsx';
import { type SortOrder, Table } from '../../parts/table.tsx';
import { query, setQuery } from '../../shell/address.ts';
import { useRowKeys } from '../../shell/row-keys.ts';
import {
  load,
  partErrors,
  usePartOfCluster,
  type Worker,
  workerList,
  workersHeardToMs,
} from '../../store/cluster.ts';
import { read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { isAdmin } from '../../store/session.ts';
import { listed } from '../../text/words.ts';
import { ManyBar } from './many-bar.tsx';
import { OpenWorker } from './open-worker.tsx';
import { troubleOf } from './trouble.ts';
import { Filters, Search } from './filters.tsx';
import { bestScore, chosen, outcomes, toggleChosen } from './list-state.ts';
import { workerColumns } from './worker-columns.tsx';
import { WorkerGroup } from './worker-group.tsx';
import { byName, groupsOf, matching, sumsOf } from './worker-list.ts';
import { workersSentence } from './workers-sentence.ts';
import { filterNames, sortText, viewOf, type WorkersView } from './workers-view.ts';

const performanceEveryMs = 15_000;
/** More groups than these are closed at first. */
const openGroups = 3;

export function Page() {
  useEffect(() => usePartOfCluster('workers', { hasSeries: true }), []);
  const workers = workerList.value;
  const part = {
    value: workers,
    error: partErrors.value.workers,
    again: () => void load('workers'),
  };
  if (workers === null && part.error === null) return <Bones lines={8} />;
  return (
    <>
      {workers === null ? <h1 class="lede">Workers</h1> : null}
      <PartOfPage part={part} what="the workers" sentenceOf={sentenceOf}>
        {(all) => (all.length === 0 ? <Nobody /> : <Workers workers={all} />)}
      </PartOfPage>
    </>
  );
}

function Nobody() {
  return (
    <>
      <h1 class="lede">
        <b>No device is here yet.</b>{' '}
        {isAdmin.value ? 'One link brings a phone, a browser or a PC.' : ''}
      </h1>
      <section class="panel">
        <div class="body">
          <Empty
            actions={
              isAdmin.value ? (
                <ButtonLink kind="primary" href="/connect">
                  Connect a device
                </ButtonLink>
              ) : undefined
            }
          >
            {isAdmin.value
              ? 'Jobs wait until a device is here that may run their tasks.'
              : 'Jobs wait until a device is here. Whoever runs the coordinator can let one join.'}
          </Empty>
        </div>
      </section>
    </>
  );
}

function Workers({ workers }: { readonly workers: readonly Worker[] }) {
  const view = viewOf(query.value);
  const all = outcomes.value;
  const troubles = workers
    .map((worker) => troubleOf(worker, all, workersHeardToMs.value))
    .filter((trouble) => trouble !== null);
  const { here, out, slots, trouble } = workersSentence(sumsOf(workers), troubles);
  useEffect(() => selectNone, []);
  useRowKeys([
    ...(isAdmin.value ? [{ key: 'x', does: 'Select the row', act: toggleChosen }] : []),
    { key: '.', does: 'Open the row, with what can be done', act: toggleOpen },
  ]);
  const selected = workers.filter(({ id }) => chosen.value.has(id));
  return (
    <>
      <div class="workers-top">
        <h1 class="lede">
          <b>{here}</b> {here === 'One worker' ? 'is here' : 'are here'}
          {out}
          {slots === null ? '.' : ', '}
          {slots === null ? null : <b>{slots}</b>}
          {slots === null ? null : ' at work.'}{' '}
          {trouble === null ? null : <span class="warn">{trouble}</span>}
        </h1>
        <Search workers={workers} view={view} />
      </div>
      <Filters workers={workers} view={view} />
      {selected.length === 0 ? null : <ManyBar workers={selected} onClear={selectNone} />}
      <List workers={workers} view={view} />
    </>
  );
}

interface ListProps {
  readonly workers: readonly Worker[];
  readonly view: WorkersView;
}

function List({ workers, view }: ListProps) {
  const all = outcomes.value;
  const shown = useMemo(
    () => byName(matching(workers, view)),
    [workers, view.state, view.kind, view.find, view.labels.join('\n')],
  );
  const groups = useMemo(() => groupsOf(shown, view.grouping), [shown, view.grouping]);
  const performance = usePart(
    'worker-performance',
    (signal) =>
      read<readonly WorkerPerformance[]>('/api/evaluation/worker-performance', {}, signal),
    { everyMs: performanceEveryMs },
  );
  const rates = useMemo(
    () => new Map(performance.value?.map((each) => [each.worker_id, each.throughput])),
    [performance.value],
  );
  const sort = view.sort ?? (bestScore.value > 0 ? byScore : null);
  const canSelect = isAdmin.value;
  const hasLabels = view.labels.length > 0;
  // Not every algorithm scores, and a column comes once: it does not go with a single decision.
  const scored = useRef(false);
  const hasScores = (scored.current ||= workers.some(({ score }) => score !== null));
  const columns = useMemo(
    () => workerColumns({ rates, onOpen: toggleWorker, canSelect, hasLabels, hasScores }),
    [rates, canSelect, hasLabels, hasScores],
  );
  if (shown.length === 0) return <NoMatch view={view} />;
  const table = (rows: readonly Worker[], label: string) => (
    <Table
      label={label}
      rows={rows}
      keyOf={keyOf}
      columns={columns}
      sort={sort}
      onSort={(to) => setQuery({ sort: sortText(to) })}
      isPinned={(worker) => troubleOf(worker, all, workersHeardToMs.value) !== null}
      onOpen={toggleWorker}
      openKey={view.openId}
      below={(worker) => <OpenWorker worker={worker} all={all} />}
      rowClass={(worker) =>
        rowClass(worker, troubleOf(worker, all, workersHeardToMs.value) !== null)
      }
    />
  );
  if (view.grouping === 'none') {
    return (
      <section class="panel workers-list">
        <div class="flush">{table(shown, 'Workers')}</div>
      </section>
    );
  }
  return (
    <>
      {groups.map((group) => (
        <WorkerGroup
          key={`${view.grouping} ${group.key}`}
          group={group}
          isOpen={groups.length <= openGroups}
        >
          {table(group.workers, group.name)}
        </WorkerGroup>
      ))}
    </>
  );
}

const byScore: SortOrder = { column: 'score', isDescending: true };
const keyOf = ({ id }: Worker): string => id;

function rowClass({ status }: Worker, isInTrouble: boolean): string {
  if (isInTrouble) return ' workers-trouble';
  return status === 'offline' ? ' workers-away' : '';
}

function toggleOpen(id: string): void {
  setQuery({ open: query.value.get('open') === id ? null : id });
}

function toggleWorker({ id }: Worker): void {
  toggleOpen(id);
}

function selectNone(): void {
  chosen.value = new Set();
}

function NoMatch({ view }: { readonly view: WorkersView }) {
  return (
    <section class="panel">
      <div class="body">
        <Empty
          actions={
            <Button onPress={() => setQuery({ state: null, kind: null, label: null, find: null })}>
              Show all workers
            </Button>
          }
        >
          {`No worker is ${listed(filterNames(view))}.`}
        </Empty>
      </div>
    </section>
  );
}
