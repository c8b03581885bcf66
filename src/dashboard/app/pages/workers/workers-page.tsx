// Who is here, who is slow, who fails.

import { useEffect, useMemo, useState } from 'preact/hooks';
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
import { outcomesOf, troubleOf } from './trouble.ts';
import { Filters, Search } from './filters.tsx';
import { workerColumns } from './worker-columns.tsx';
import { WorkerGroup } from './worker-group.tsx';
import { byName, groupsOf, matching, sumsOf } from './worker-list.ts';
import { workersSentence } from './workers-sentence.ts';
import { filterNames, sortText, viewOf, type WorkersView } from './workers-view.ts';

const performanceEveryMs = 15_000;
/** More groups than these are closed at first. */
const openGroups = 3;

export function Page() {
  useEffect(() => usePartOfCluster('workers'), []);
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
  const all = useMemo(() => outcomesOf(workers), [workers]);
  const troubles = workers
    .map((worker) => troubleOf(worker, all, workersHeardToMs.value))
    .filter((trouble) => trouble !== null);
  const { here, slots, trouble } = workersSentence(sumsOf(workers), troubles);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => setChosen((before) => toggled(before, id));
  useRowKeys([
    ...(isAdmin.value ? [{ key: 'x', does: 'Select the row', act: toggle }] : []),
    { key: '.', does: 'Open the row, with what can be done', act: toggleOpen },
  ]);
  const selected = workers.filter(({ id }) => chosen.has(id));
  return (
    <>
      <div class="workers-top">
        <h1 class="lede">
          <b>{here}</b> {here === 'One device' ? 'is here' : 'are here'}
          {slots === null ? '.' : ', '}
          {slots === null ? null : <b>{slots}</b>}
          {slots === null ? null : ' at work.'}{' '}
          {trouble === null ? null : <span class="warn">{trouble}</span>}
        </h1>
        <Search workers={workers} view={view} />
      </div>
      <Filters workers={workers} view={view} />
      {selected.length === 0 ? null : (
        <ManyBar workers={selected} onClear={() => setChosen(new Set())} />
      )}
      <List workers={workers} view={view} chosen={chosen} onToggle={toggle} />
    </>
  );
}

interface ListProps {
  readonly workers: readonly Worker[];
  readonly view: WorkersView;
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

function List({ workers, view, chosen, onToggle }: ListProps) {
  const all = useMemo(() => outcomesOf(workers), [workers]);
  const shown = useMemo(
    () => byName(matching(workers, view)),
    [workers, view.state, view.kind, view.find],
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
  const bestScore = Math.max(0, ...workers.map(({ score }) => score ?? 0));
  const sort = view.sort ?? (bestScore > 0 ? byScore : null);
  if (shown.length === 0) return <NoMatch view={view} />;
  const columns = workerColumns({
    all,
    rates,
    bestScore,
    openId: view.openId,
    onOpen: ({ id }) => toggleOpen(id),
    selection: isAdmin.value ? { chosen, onToggle } : null,
  });
  const table = (rows: readonly Worker[], label: string) => (
    <Table
      label={label}
      rows={rows}
      keyOf={keyOf}
      columns={columns}
      sort={sort}
      onSort={(to) => setQuery({ sort: sortText(to) })}
      isPinned={(worker) => troubleOf(worker, all, workersHeardToMs.value) !== null}
      onOpen={({ id }) => toggleOpen(id)}
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

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(id)) after.add(id);
  return after;
}

function NoMatch({ view }: { readonly view: WorkersView }) {
  return (
    <section class="panel">
      <div class="body">
        <Empty
          actions={
            <Button onPress={() => setQuery({ state: null, kind: null, find: null })}>
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
