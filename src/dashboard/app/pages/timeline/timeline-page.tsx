// Who did what when: a row for each slot of a device, a colour for each job.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { AttemptHistory, AttemptOfHistory } from '../../../../protocol/evaluation.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choices.tsx';
import { Gantt } from '../../parts/gantt.tsx';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { besides } from '../../parts/periods.ts';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import type { Span } from '../../parts/time-scale.ts';
import { Time } from '../../parts/time.tsx';
import { go, query, setQuery } from '../../shell/address.ts';
import { useKeys } from '../../shell/keys.ts';
import { algorithmChanges } from '../../store/algorithm-changes.ts';
import { coordinatorTime, now } from '../../store/clock.ts';
import { jobList, usePartOfCluster, workerList } from '../../store/cluster.ts';
import { read, sentenceOf } from '../../store/endpoint.ts';
import { pausedAtMs } from '../../store/freshness.ts';
import { nameOfJob, nameOfWorker } from '../../store/names.ts';
import { pauseAfter } from '../../store/read-pause.ts';
import { usePart } from '../../store/resource.ts';
import { useSchedulerHistory } from '../../store/scheduler-history.ts';
import { grouped, percent } from '../../text/numbers.ts';
import { moment } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import { heatStrips, meanShare } from './heat-strip.ts';
import { HeatStrips } from './heat-strips.tsx';
import { colourJobs, type JobInView, jobsInView, restColour } from './job-colours.ts';
import { fewRows, timelineGroups, undrawnSpan } from './timeline-rows.ts';
import { chosenSpan, readEveryMs, textOfSpan, usualWindow, windowOf, windows } from './window.ts';

/** More rows than these are drawn as a strip for each device. */
const mostRows = 200;
const mostAttempts = 10_000;
/** Of a strip; while there are strips the picture moves on by one of them at a time. */
const buckets = 120;
/** As many slots as stand beside the overview. */
const fewSlots = 56;
const shortEveryMs = 5_000;

export function Page() {
  return <Timeline isShort={false} />;
}

/** Short: the last minute beside the overview, with the first slots of each device. */
export function Timeline({ isShort }: { readonly isShort: boolean }) {
  useEffect(() => usePartOfCluster('jobs'), []);
  useEffect(() => usePartOfCluster('workers'), []);
  const asked = isShort ? noQuery : query.value;
  const window = isShort ? windows[0] : windowOf(asked.get('window'));
  const chosen = chosenSpan(asked.get('span'));
  const job = asked.get('job');
  const worker = asked.get('worker');
  const areStrips = useRef(false);
  const rowsRead = useRef(0);
  const stepMs = areStrips.current && chosen === null ? window.ms / buckets : 1;
  const nowMs = Math.floor((pausedAtMs.value ?? now.value) / stepMs) * stepMs;
  const span = chosen ?? { from: nowMs - window.ms, to: nowMs };
  const part = usePart(
    `attempts ${asked.get('span') ?? window.value} ${job} ${worker}`,
    (signal) => {
      const wanted = chosen ?? { from: coordinatorTime() - window.ms, to: null };
      return read<AttemptHistory>(
        '/api/evaluation/attempts',
        {
          since: new Date(wanted.from).toISOString(),
          until: wanted.to === null ? undefined : new Date(wanted.to).toISOString(),
          job_id: job ?? undefined,
          worker_id: worker ?? undefined,
          limit: mostAttempts,
        },
        signal,
      );
    },
    {
      everyMs: isShort ? shortEveryMs : Math.max(readEveryMs(span), pauseAfter(rowsRead.current)),
    },
  );
  const setSpan = (next: Span | null): void =>
    setQuery({ span: next === null ? null : textOfSpan(next) });
  const choose = (value: string): void =>
    setQuery({ window: value === usualWindow.value ? null : value, span: null });
  const step = (by: number): void => choose(besides(windows, window, by).value);
  const pick = (id: string | null): void =>
    isShort ? go(`/timeline?job=${id}`) : setQuery({ job: id });
  useKeys(isShort ? {} : { '[': () => step(-1), ']': () => step(1) });

  const attempts = part.value?.attempts ?? noAttempts;
  const left = part.value?.left_out ?? 0;
  const undrawn = useMemo(() => part.value && undrawnSpan(part.value), [part.value]);
  rowsRead.current = attempts.length;
  // What has changed of jobs and devices since is told with the next attempts that are read.
  const areNamed = jobList.value !== null && workerList.value !== null;
  const inView = useMemo(() => jobsInView(attempts, jobList.value ?? []), [attempts, areNamed]);
  const colours = useRef<ReadonlyMap<string, string>>(new Map());
  colours.current = colourJobs(
    colours.current,
    inView.map(({ id }) => id),
  );
  // A strip is cut by the span itself: its rows are those of when it was read.
  const cut = areStrips.current ? noSpan : span;
  const groups = useMemo(
    () =>
      timelineGroups(
        {
          attempts,
          nameOfWorker,
          nameOfJob,
          colourOf: (id) => colours.current.get(id) ?? restColour,
        },
        { span, nowMs },
      ),
    [attempts, cut.from, cut.to, inView],
  );
  const rows = groups.reduce((sum, group) => sum + group.rows.length, 0);
  areStrips.current = rows > mostRows;
  const changes = useSchedulerHistory().value;
  const marks = useMemo(() => algorithmChanges(changes ?? []), [changes]);
  const told = chosen === null ? `the ${window.told}` : 'the time that was chosen';
  const behind = useTableBehind({
    label: `Attempts in ${told}`,
    rows: attempts,
    keyOf: ({ task_id: task, attempt }) => `${task} ${attempt}`,
    columns,
  });
  return (
    <div class="timeline stack">
      {isShort ? null : (
        <h1 class="lede">
          {part.value === null ? (
            'Who did what when'
          ) : (
            <>
              <b>{counted(attempts.length + left, 'attempt')}</b>
              {left === 0
                ? ' of '
                : ` in ${told}. Drawn are the newest ${grouped(attempts.length)}: of `}
              <b>{counted(inView.length, 'job')}</b> on <b>{counted(groups.length, 'device')}</b>,{' '}
              {counted(rows, 'slot')}
              {left === 0 ? `, in ${told}.` : '.'}
            </>
          )}
        </h1>
      )}
      <Panel
        title={isShort ? 'Timeline' : 'Attempts by device and slot'}
        note={
          isShort
            ? window.told
            : part.value === null
              ? undefined
              : `what ended is kept since ${moment(part.value.kept_since, nowMs)}`
        }
        actions={
          isShort ? (
            <a class="link" href="/timeline">
              All slots
            </a>
          ) : (
            <>
              {chosen === null ? null : (
                <Button isSmall onPress={() => setSpan(null)}>
                  Go live
                </Button>
              )}
              <Choice
                label="Length of time"
                options={windows}
                chosen={chosen === null ? window.value : ('' as typeof window.value)}
                onChoose={choose}
              />
              {behind.button}
            </>
          )
        }
      >
        <Filters jobs={inView} colours={colours.current} job={job} worker={worker} onPick={pick} />
        <PartOfPage part={part} what="the attempts" sentenceOf={sentenceOf} lines={8}>
          {() => (
            <>
              {left === 0 ? null : (
                <p class="warn">
                  {`${counted(left, 'older attempt is', 'older attempts are')} not drawn: that time is hatched. A shorter one shows all.`}
                </p>
              )}
              {behind.isOpen ? (
                behind.table
              ) : rows === 0 ? (
                <Empty>{`Nothing was at work in ${told}.`}</Empty>
              ) : areStrips.current ? (
                <Strips groups={groups} span={span} nowMs={nowMs} undrawn={undrawn} />
              ) : (
                <Gantt
                  label={`${counted(attempts.length, 'attempt')} on ${counted(groups.length, 'device')} in ${told}.`}
                  groups={isShort ? fewRows(groups.slice(0, fewSlots), fewSlots) : groups}
                  span={span}
                  nowMs={nowMs}
                  undrawn={undrawn}
                  {...(isShort ? {} : { onSpan: setSpan, marks })}
                  onOpen={go}
                />
              )}
            </>
          )}
        </PartOfPage>
      </Panel>
    </div>
  );
}

const noQuery = new URLSearchParams();
const noSpan: Span = { from: 0, to: 0 };
const noAttempts: readonly AttemptOfHistory[] = [];

function Strips({
  groups,
  span,
  nowMs,
  undrawn,
}: {
  readonly groups: Parameters<typeof heatStrips>[0];
  readonly span: Span;
  readonly nowMs: number;
  readonly undrawn: Span | null;
}) {
  const strips = useMemo(
    () => heatStrips(groups, { span, nowMs, buckets }),
    [groups, span.from, span.to, nowMs],
  );
  const bucketOf = (at: number): number =>
    Math.round(buckets * Math.max(0, Math.min(1, (at - span.from) / (span.to - span.from))));
  const hidden =
    undrawn === null
      ? ([0, 0] as const)
      : ([bucketOf(undrawn.from), bucketOf(undrawn.to)] as const);
  const label = `${counted(strips.length, 'device')}, on average ${percent(meanShare(strips, hidden) ?? 0)} of their slots busy.`;
  return (
    <>
      <p class="soft">{`${label} Above ${mostRows} slots each device is a strip: the bluer, the busier.`}</p>
      <HeatStrips label={label} strips={strips} span={span} undrawn={hidden} />
    </>
  );
}

interface FiltersProps {
  readonly jobs: readonly JobInView[];
  readonly colours: ReadonlyMap<string, string>;
  readonly job: string | null;
  readonly worker: string | null;
  readonly onPick: (job: string | null) => void;
}

/** The key of the colours is what filters by job, too. */
function Filters({ jobs, colours, job, worker, onPick }: FiltersProps) {
  return (
    <div class="chips timeline-jobs" role="group" aria-label="Jobs">
      {jobs.map(({ id, attempts }) => (
        <button
          key={id}
          type="button"
          class="chip"
          aria-pressed={id === job}
          onClick={() => onPick(id === job ? null : id)}
        >
          <i style={{ background: `var(--${colours.get(id) ?? restColour})` }} />
          {nameOfJob(id)} <b>{grouped(attempts)}</b>
        </button>
      ))}
      {job === null || jobs.some(({ id }) => id === job) ? null : (
        <button type="button" class="chip" aria-pressed="true" onClick={() => onPick(null)}>
          {nameOfJob(job)} <b>0</b>
        </button>
      )}
      {worker === null ? null : (
        <button
          type="button"
          class="chip"
          aria-pressed="true"
          onClick={() => setQuery({ worker: null })}
        >
          {`only ${nameOfWorker(worker)}`}
        </button>
      )}
    </div>
  );
}

const columns: readonly BehindColumn<AttemptOfHistory>[] = [
  {
    id: 'job',
    head: 'Job',
    cell: ({ job_id: id }) => nameOfJob(id),
    sortBy: ({ job_id: id }) => nameOfJob(id),
    card: 'lead',
  },
  {
    id: 'task',
    head: 'Task',
    cell: ({ job_id: id, index }) => (
      <a class="link" href={`/jobs/${encodeURIComponent(id)}/tasks/${index}`}>
        {grouped(index)}
      </a>
    ),
    sortBy: ({ index }) => index,
    isNumber: true,
  },
  {
    id: 'attempt',
    head: 'Attempt',
    cell: ({ attempt }) => grouped(attempt),
    sortBy: ({ attempt }) => attempt,
    isNumber: true,
    label: 'attempt',
  },
  {
    id: 'worker',
    head: 'Worker',
    cell: ({ worker_id: id }) => nameOfWorker(id),
    sortBy: ({ worker_id: id }) => nameOfWorker(id),
  },
  {
    id: 'slot',
    head: 'Slot',
    cell: ({ slot }) =>
      slot === null ? (
        <span class="mute" title="It did not begin, or began before the coordinator was started">
          n/a
        </span>
      ) : (
        grouped(slot)
      ),
    sortBy: ({ slot }) => slot,
    isNumber: true,
    label: 'slot',
  },
  {
    id: 'status',
    head: 'Came to',
    cell: ({ status, error_type: error }) => (error === null ? status : `${status}: ${error}`),
    sortBy: ({ status }) => status,
  },
  {
    id: 'started',
    head: 'Started',
    cell: ({ started_at: at }) => <Time at={at} without="It has not begun" />,
    sortBy: ({ started_at: at }) => at,
    isDescending: true,
    isNumber: true,
  },
  {
    id: 'ended',
    head: 'Ended',
    cell: ({ ended_at: at }) => <Time at={at} without="It goes on" />,
    sortBy: ({ ended_at: at }) => at,
    isDescending: true,
    isNumber: true,
  },
];
