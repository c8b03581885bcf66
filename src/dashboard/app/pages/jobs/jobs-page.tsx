// All jobs: how far each is, and the way to it.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { Glyph, Icon, icons } from '../../look/glyphs.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Chip } from '../../parts/choices.tsx';
import { Bones, Empty } from '../../parts/panel.tsx';
import type { SortOrder } from '../../parts/table.tsx';
import { query, setQuery } from '../../shell/address.ts';
import { useKeys } from '../../shell/keys.ts';
import {
  counters,
  hasOlderJobs,
  type JobHead,
  jobList,
  load,
  loadOlderJobs,
  partErrors,
  usePartOfCluster,
} from '../../store/cluster.ts';
import { read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { maySubmit } from '../../store/session.ts';
import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import {
  countOf,
  filterOf,
  headingOf,
  holdList,
  type JobFilter,
  jobFilters,
  matches,
  statusesOf,
} from './job-list.ts';
import { JobTable } from './job-table.tsx';

const typedMs = 250;
const mostFound = 200;

export function Page() {
  useEffect(() => usePartOfCluster('jobs'), []);
  const all = jobList.value;
  const error = partErrors.value.jobs;
  if (all === null) {
    if (error === null) return <Bones lines={8} />;
    return (
      <Empty actions={<Button onPress={() => load('jobs')}>Try again</Button>}>
        {`Not shown: the jobs. ${sentenceOf(error)}`}
      </Empty>
    );
  }
  return <JobsView all={all} />;
}

function JobsView({ all }: { readonly all: readonly JobHead[] }) {
  const filter = filterOf(query.value.get('status'));
  const search = query.value.get('q') ?? '';
  const [typed, setTyped] = useState(search);
  useEffect(() => {
    const timer = setTimeout(() => setQuery({ q: typed.trim() }), typedMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const isFiltered = filter !== 'all' || search !== '';
  // Older jobs than those of the list are found by the coordinator.
  const found = usePart(
    `jobs ${filter} ${search}`,
    (signal) =>
      read<readonly JobHead[]>(
        '/api/jobs',
        {
          heads: true,
          limit: mostFound,
          status: statusesOf(filter),
          q: search === '' ? undefined : search,
        },
        signal,
      ),
    { isOff: !isFiltered || !hasOlderJobs.value },
  );
  const jobs = useMemo(() => {
    const byId = new Map((isFiltered ? (found.value ?? []) : []).map((job) => [job.id, job]));
    for (const job of all) byId.set(job.id, job);
    return [...byId.values()].filter((job) => matches(job, filter, search));
  }, [all, found.value, filter, search]);

  const [held, setHeld] = useState<{ readonly of: string; readonly ids: readonly string[] } | null>(
    null,
  );
  const of = `${filter} ${search}`;
  const { rows, fresh } = holdList(held?.of === of ? held.ids : null, jobs);
  const shown = rows.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (held?.of !== of || held.ids.join(' ') !== shown)
      setHeld({ of, ids: shown === '' ? [] : shown.split(' ') });
  }, [held, of, shown]);
  const sort = sortIn(query.value.get('sort'));
  const heading = headingOf(all, counters.value);
  useRowKeys();
  return (
    <>
      <h1 class="lede">
        <b>{heading.strong}</b>
        {heading.rest}
      </h1>
      <div class="jobs-tools">
        <div class="chips line" role="group" aria-label="Jobs by state">
          {jobFilters.map((each) => (
            <FilterChip key={each} filter={each} isChosen={each === filter} all={all} />
          ))}
        </div>
        <label class="jobs-search">
          <span class="unseen">Name, id or client</span>
          <input
            class="input"
            type="search"
            placeholder="Name, id or client"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
      </div>
      {fresh === 0 ? null : (
        <p class="jobs-fresh" role="status">
          <Button isSmall onPress={() => setHeld(null)}>
            <Icon path={icons.up} size={12} /> {counted(fresh, 'new job')}
          </Button>
        </p>
      )}
      {rows.length === 0 ? (
        <NoJobs
          isFiltered={isFiltered}
          filter={filter}
          search={search}
          isLoading={found.isLoading}
          onAll={() => setTyped('')}
        />
      ) : (
        <section class="panel" aria-label="Jobs">
          {rows.length < 200 ? null : (
            <p class="mute jobs-hint">
              Only what is seen is drawn: search above finds a job, that of the browser does not.
            </p>
          )}
          <div class="flush">
            <JobTable
              jobs={rows}
              sort={sort}
              onSort={(next) => {
                setHeld(null);
                setQuery({ sort: sortText(next) });
              }}
            />
          </div>
        </section>
      )}
      {found.error === null ? null : (
        <p class="warn" role="alert">
          {`Older jobs are not searched: ${sentenceOf(found.error)}`}
        </p>
      )}
      {hasOlderJobs.value && !isFiltered ? (
        <Button
          onPress={loadOlderJobs}
        >{`Show older jobs than these ${grouped(all.length)}`}</Button>
      ) : null}
    </>
  );
}

interface FilterChipProps {
  readonly filter: JobFilter;
  readonly isChosen: boolean;
  readonly all: readonly JobHead[];
}

function FilterChip({ filter, isChosen, all }: FilterChipProps) {
  const known = all.filter((job) => matches(job, filter, '')).length;
  const count = countOf(filter, counters.value) ?? known;
  if (count === 0 && filter !== 'all' && !isChosen) return null;
  return (
    <Chip
      isChosen={isChosen}
      onPress={() => setQuery({ status: filter === 'all' || isChosen ? null : filter })}
    >
      {filter === 'all' ? null : <Glyph name={filter === 'open' ? 'running' : filter} size={12} />}
      {filter} <b>{grouped(count)}</b>
    </Chip>
  );
}

interface NoJobsProps {
  readonly isFiltered: boolean;
  readonly filter: JobFilter;
  readonly search: string;
  readonly isLoading: boolean;
  readonly onAll: () => void;
}

function NoJobs({ isFiltered, filter, search, isLoading, onAll }: NoJobsProps) {
  if (isFiltered && isLoading) return <Bones lines={3} />;
  if (isFiltered) {
    const what = filter === 'all' ? 'No job' : `No ${filter} job`;
    return (
      <Empty
        actions={
          <Button
            onPress={() => {
              onAll();
              setQuery({ status: null, q: null });
            }}
          >
            Show all jobs
          </Button>
        }
      >
        {search === '' ? `${what} is here.` : `${what} has “${search}” in its name, id or client.`}
      </Empty>
    );
  }
  return (
    <Empty
      actions={
        maySubmit.value ? (
          <ButtonLink href="/submit" kind="primary">
            Submit a job
          </ButtonLink>
        ) : undefined
      }
    >
      There is no job yet. A job is a program and the inputs that it is run with.
    </Empty>
  );
}

function sortIn(text: string | null): SortOrder | null {
  if (text === null || text === '') return null;
  return text.startsWith('-')
    ? { column: text.slice(1), isDescending: true }
    : { column: text, isDescending: false };
}

function sortText(sort: SortOrder | null): string | null {
  return sort === null ? null : `${sort.isDescending ? '-' : ''}${sort.column}`;
}

/** `j` and `k` go from job to job, Enter opens as any link. */
function useRowKeys(): void {
  const move = (step: number): void => {
    const links = [...document.querySelectorAll<HTMLElement>('.jobs-name')];
    const place = links.indexOf(document.activeElement as HTMLElement);
    links[Math.max(0, Math.min(links.length - 1, place + step))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
}
