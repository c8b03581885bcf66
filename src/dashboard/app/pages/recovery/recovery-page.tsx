// What was lost, what of it was saved, and where it went on.

import { useEffect } from 'preact/hooks';
import type { EvaluationMetrics } from '../../../../protocol/evaluation.ts';
import type { RecoveryEvent } from '../../../../protocol/resources.ts';
import { reasonWords } from '../../look/recovery-reasons.ts';
import { Chip, Choice } from '../../parts/choices.tsx';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { besides, periods } from '../../parts/periods.ts';
import { type Column, type SortOrder, Table } from '../../parts/table.tsx';
import { CopyButton } from '../../parts/copy-line.tsx';
import { csvOf } from '../../parts/csv.ts';
import { NotTold, Time } from '../../parts/time.tsx';
import { query, setQuery } from '../../shell/address.ts';
import { useKeys } from '../../shell/keys.ts';
import { coordinatorTime, now } from '../../store/clock.ts';
import { jobList, usePartOfCluster } from '../../store/cluster.ts';
import { read, sentenceOf } from '../../store/endpoint.ts';
import { nameOfJob } from '../../store/names.ts';
import { usePart } from '../../store/resource.ts';
import { bytes, grouped } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { capitalized, counted } from '../../text/words.ts';
import {
  filtered,
  longestOf,
  lostWords,
  outcomeSentence,
  pauseSeconds,
  reasonCounts,
  type RecoverySums,
  sumsOf,
  workWords,
} from './recovery-events.ts';
import { RecoveryPicture } from './recovery-picture.tsx';

const againMs = 5_000;
const ever = { value: 'all', text: 'All', told: 'all that is kept', ms: null };
const choices = [...periods, ever];

export function Page() {
  useEffect(() => usePartOfCluster('jobs'), []);
  useEffect(() => usePartOfCluster('workers'), []);
  const period = choices.find(({ value }) => value === query.value.get('period')) ?? ever;
  const reason = query.value.get('reason');
  const job = query.value.get('job');
  const part = usePart(
    'recovery events',
    (signal) => read<readonly RecoveryEvent[]>('/api/checkpoints/recovery-events', {}, signal),
    { everyMs: againMs },
  );
  const metrics = usePart(
    `recovery ${period.value} ${job}`,
    (signal) =>
      read<EvaluationMetrics>(
        '/api/evaluation/metrics',
        {
          job_id: job ?? undefined,
          since:
            period.ms === null ? undefined : new Date(coordinatorTime() - period.ms).toISOString(),
        },
        signal,
      ),
    { everyMs: 3 * againMs },
  );
  const choose = (value: string): void => setQuery({ period: value === ever.value ? null : value });
  const step = (by: number): void => choose(besides(choices, period, by).value);
  useKeys({ '[': () => step(-1), ']': () => step(1) });
  const sinceMs = period.ms === null ? null : now.value - period.ms;
  const inPeriod = filtered(part.value ?? [], { reason: null, jobId: null, sinceMs });
  const events = filtered(inPeriod, { reason, jobId: job, sinceMs: null });
  const sums = sumsOf(events);
  const isEmpty = part.value?.length === 0;
  return (
    <div class="recovery stack">
      <Sentence
        sums={part.value === null ? null : sums}
        when={period.told}
        isAll={period.ms === null}
      />
      <Filters
        events={inPeriod}
        reason={reason}
        job={job}
        period={period.value}
        onPeriod={choose}
      />
      <div class="grid">
        {isEmpty ? null : (
          <Panel
            title="Work saved and repeated"
            note={part.value === null ? undefined : lostWords(sums)}
          >
            <PartOfPage part={part} what="the sums" sentenceOf={sentenceOf} lines={3}>
              {() => <Lengths sums={sums} metrics={metrics.value} isFiltered={reason !== null} />}
            </PartOfPage>
          </Panel>
        )}
        <Panel
          title="What was lost, and where it went on"
          note="newest first"
          actions={
            isEmpty ? undefined : (
              <CopyButton
                text={() => csvOfEvents(events)}
                label="what was lost"
                words="Copy as CSV"
              />
            )
          }
          isFlush
        >
          <PartOfPage part={part} what="what was lost" sentenceOf={sentenceOf} lines={6}>
            {(all) => <Events events={events} total={all.length} />}
          </PartOfPage>
        </Panel>
      </div>
    </div>
  );
}

interface SentenceProps {
  readonly sums: RecoverySums | null;
  /** Behind `in the`. */
  readonly when: string;
  readonly isAll: boolean;
}

function Sentence({ sums, when, isAll }: SentenceProps) {
  if (sums === null) return <h1 class="lede">What was lost, and what was saved</h1>;
  const told = isAll ? '' : ` in the ${when}`;
  if (sums.events === 0) {
    return (
      <h1 class="lede">
        <b>No attempt that had begun was lost</b>
        {told}.
      </h1>
    );
  }
  return (
    <h1 class="lede">
      <b>{workWords(sums.savedSeconds)}</b> of work was saved,{' '}
      <b>{workWords(sums.repeatedSeconds)}</b> had to be repeated: {lostWords(sums)}{' '}
      {sums.events === 1 ? 'was' : 'were'} lost{told}.
    </h1>
  );
}

interface FiltersProps {
  readonly events: readonly RecoveryEvent[];
  readonly reason: string | null;
  readonly job: string | null;
  readonly period: string;
  readonly onPeriod: (value: string) => void;
}

function Filters({ events, reason, job, period, onPeriod }: FiltersProps) {
  const ofJob = filtered(events, { reason: null, jobId: job, sinceMs: null });
  const jobs = [...new Set(events.map(({ job_id: id }) => id))];
  if (job !== null && !jobs.includes(job)) jobs.push(job);
  // Names of jobs come by their list.
  void jobList.value;
  const reasons = [...reasonCounts(ofJob)];
  if (reason !== null && reasons.every(([each]) => each !== reason)) {
    const known = Object.keys(reasonWords).find((each) => each === reason);
    if (known !== undefined) reasons.push([known as keyof typeof reasonWords, 0]);
  }
  return (
    <div class="row recovery-filters">
      <Choice label="Period" options={choices} chosen={period} onChoose={onPeriod} />
      <select
        class="input"
        aria-label="Job"
        value={job ?? ''}
        onChange={({ currentTarget }) => setQuery({ job: currentTarget.value || null })}
      >
        <option value="">All jobs</option>
        {jobs.map((id) => (
          <option key={id} value={id}>
            {nameOfJob(id)}
          </option>
        ))}
      </select>
      <span class="chips">
        {reasons.map(([each, count]) => (
          <Chip
            key={each}
            isChosen={each === reason}
            onPress={() => setQuery({ reason: each === reason ? null : each })}
          >
            {reasonWords[each]} <b>{grouped(count)}</b>
          </Chip>
        ))}
      </span>
    </div>
  );
}

interface LengthsProps {
  readonly sums: RecoverySums;
  readonly metrics: EvaluationMetrics | null;
  /** Then the figures of the whole period do not belong to it. */
  readonly isFiltered: boolean;
}

function Lengths({ sums, metrics, isFiltered }: LengthsProps) {
  const most = Math.max(sums.savedSeconds, sums.repeatedSeconds);
  const width = (seconds: number) => ({ width: most === 0 ? '0' : `${(100 * seconds) / most}%` });
  return (
    <div class="stack">
      <dl class="recovery-lengths">
        <dt>Saved by checkpoints</dt>
        <dd>
          <i class="saved" style={width(sums.savedSeconds)} />
          <b data-figure="saved">{workWords(sums.savedSeconds)}</b>
        </dd>
        <dt>To be repeated</dt>
        <dd>
          {sums.repeatedSeconds === 0 ? null : (
            <i class="repeated" style={width(sums.repeatedSeconds)} />
          )}
          <b data-figure="repeated">{workWords(sums.repeatedSeconds)}</b>
        </dd>
      </dl>
      <p class="soft">
        {outcomeSentence(sums)}
        {metrics === null || isFiltered ? null : (
          <>
            {' '}
            {metrics.recovery.mean_seconds_to_resume === null
              ? ''
              : `On average a task went on after ${duration(metrics.recovery.mean_seconds_to_resume)}. `}
            {`${counted(metrics.checkpoints.count, 'checkpoint')} of ${bytes(metrics.checkpoints.bytes)} in all. `}
            {metrics.recovery.wasted_seconds === 0
              ? ''
              : `Attempts that another one overtook ran for ${duration(metrics.recovery.wasted_seconds)}.`}
          </>
        )}
      </p>
    </div>
  );
}

function Events({
  events,
  total,
}: {
  readonly events: readonly RecoveryEvent[];
  readonly total: number;
}) {
  const sort = query.value.get('sort');
  const order: SortOrder | null =
    sort === null ? null : { column: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') };
  if (events.length === 0) {
    return (
      <Empty>
        {total === 0
          ? 'Nothing was lost. When a device goes while it works, what became of its tasks stands here.'
          : `None of ${counted(total, 'event')} is of this period, reason and job. Take one of them out.`}
      </Empty>
    );
  }
  return (
    <Table
      label="Attempts that were lost"
      rows={events}
      keyOf={({ id }) => id}
      columns={columnsOf(longestOf(events))}
      sort={order}
      onSort={(next) =>
        setQuery({ sort: next === null ? null : `${next.isDescending ? '-' : ''}${next.column}` })
      }
    />
  );
}

function columnsOf(mostSeconds: number): readonly Column<RecoveryEvent>[] {
  return [
    {
      id: 'lost',
      head: 'Lost',
      width: '104px',
      card: 'lead',
      cell: ({ lost_at: at }) => <Time at={at} />,
      sortBy: ({ lost_at: at }) => at,
      isDescending: true,
    },
    {
      id: 'task',
      head: 'Task',
      width: '22%',
      cell: ({ job_id: id, task_index: index, attempt }) => (
        <a
          class="link"
          href={`/jobs/${encodeURIComponent(id)}/tasks/${index}`}
          title={`Attempt ${grouped(attempt)}`}
        >
          {`${nameOfJob(id)}, ${grouped(index)}`}
        </a>
      ),
      sortBy: ({ job_id: id, task_index: index }) =>
        `${nameOfJob(id)} ${String(index).padStart(9, '0')}`,
    },
    {
      id: 'went-on',
      head: 'What was lost where, and went on where',
      card: 'wide',
      cell: (event) => <RecoveryPicture event={event} mostSeconds={mostSeconds} />,
    },
    {
      id: 'reason',
      head: 'Because',
      class: 'soft',
      card: 'wide',
      cell: ({ reason }) => capitalized(reasonWords[reason]),
      sortBy: ({ reason }) => reasonWords[reason],
    },
    {
      id: 'saved',
      head: 'Saved',
      isNumber: true,
      label: 'saved',
      cell: ({ work_saved_seconds: seconds }) => workWords(seconds),
      sortBy: ({ work_saved_seconds: seconds }) => seconds,
      isDescending: true,
    },
    {
      id: 'repeated',
      head: 'Repeated',
      isNumber: true,
      label: 'repeated',
      cell: ({ time_lost_seconds: seconds }) => workWords(seconds),
      sortBy: ({ time_lost_seconds: seconds }) => seconds,
      isDescending: true,
    },
    {
      id: 'pause',
      head: 'Went on after',
      isNumber: true,
      label: 'until it went on',
      cell: (event) => {
        const seconds = pauseSeconds(event);
        return seconds === null ? <NotTold why="It has not begun again" /> : duration(seconds);
      },
      sortBy: pauseSeconds,
      isDescending: true,
    },
  ];
}

const csvHead = [
  'lost_at',
  'job_id',
  'task_index',
  'attempt',
  'reason',
  'outcome',
  'from_worker_id',
  'to_worker_id',
  'resumed_from_progress',
  'resumed_at',
  'work_saved_seconds',
  'time_lost_seconds',
] as const;

function csvOfEvents(events: readonly RecoveryEvent[]): string {
  return csvOf(
    csvHead,
    events.map((event) => csvHead.map((name) => event[name])),
  );
}
