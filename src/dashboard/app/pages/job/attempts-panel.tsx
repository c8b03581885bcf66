// Who did what when in this job: attempts by device, checkpoints, and what went on from what.

import { useMemo, useState } from 'preact/hooks';
import type { AttemptHistory, AttemptOfHistory } from '../../../../protocol/evaluation.ts';
import type { CheckpointRecord, RecoveryEvent } from '../../../../protocol/resources.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choices.tsx';
import { Gantt } from '../../parts/gantt.tsx';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import type { Span } from '../../parts/time-scale.ts';
import { go, query, setQuery } from '../../shell/address.ts';
import { now } from '../../store/clock.ts';
import type { JobHead } from '../../store/cluster.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import type { Part } from '../../store/resource.ts';
import { isOpen } from '../../store/job-share.ts';
import { grouped } from '../../text/numbers.ts';
import { clock } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import { attemptPicture, wholeSince } from './attempt-rows.ts';
import { attemptsNote } from './attempts-note.ts';
import { pathOfTask } from './hold-ups.ts';

interface AttemptsPanelProps {
  readonly head: JobHead;
  readonly attempts: Part<AttemptHistory>;
  readonly knownUntil: (nowMs: number) => number;
  readonly checkpoints: Part<readonly CheckpointRecord[]>;
  readonly recoveries: Part<readonly RecoveryEvent[]>;
  /** Checkpoints that are not drawn, since they are too many; null: they are. */
  readonly tooMany: number | null;
  readonly nameOfWorker: (id: string) => string;
}

const fewGroups = 12;
const fewSlots = 3;
const windows = [
  { value: '1', text: '1 min' },
  { value: '4', text: '4 min' },
  { value: '15', text: '15 min' },
  { value: '60', text: '1 h' },
] as const;
const usual = '4';
const edgeMs = 2_000;
const minuteMs = 60_000;

export function AttemptsPanel(props: AttemptsPanelProps) {
  const { head, attempts, knownUntil, checkpoints, recoveries, tooMany, nameOfWorker } = props;
  const [span, setSpan] = useState<Span | null>(null);
  const [areAll, setAll] = useState(false);
  const minutes = windows.find(({ value }) => value === query.value.get('minutes'))?.value ?? usual;
  // What has ended stands still, with its end at the right edge.
  const nowMs =
    isOpen(head) || head.completed_at === null ? now.value : Date.parse(head.completed_at) + edgeMs;
  // What ran when it was told may have ended since: its bar goes no further.
  const knownMs = knownUntil(nowMs);
  // Before the job there is nothing to see.
  const begin = Date.parse(head.created_at) - edgeMs / 2;
  const live = { from: Math.max(begin, nowMs - Number(minutes) * minuteMs), to: nowMs };
  // What was left out is no pause: the picture begins where it is whole.
  const whole = wholeSince(attempts.value);
  const wanted = span ?? live;
  const shown = { from: Math.min(Math.max(wanted.from, whole), wanted.to - edgeMs), to: wanted.to };
  const second = Math.floor(nowMs / 1_000);
  const picture = useMemo(
    () =>
      attemptPicture(
        {
          attempts: attempts.value?.attempts ?? [],
          checkpoints: checkpoints.value ?? [],
          recoveries: recoveries.value ?? [],
          nameOfWorker,
          pathOf: ({ index }) => pathOfTask(head.id, index),
        },
        {
          span: shown,
          nowMs: knownMs,
          mostGroups: areAll ? Number.POSITIVE_INFINITY : fewGroups,
          mostSlots: areAll ? Number.POSITIVE_INFINITY : fewSlots,
        },
      ),
    [
      attempts.value,
      checkpoints.value,
      recoveries.value,
      nameOfWorker,
      areAll,
      second,
      span,
      minutes,
    ],
  );
  const hasMore = picture.hidden > 0 || picture.groups.some(({ more = 0 }) => more > 0);
  const shownOf = counted(picture.groups.length + picture.hidden, 'device');
  const of = `${grouped(picture.groups.length)} of ${shownOf}`;
  const isEmpty = picture.groups.length === 0;
  const told = attemptsNote({
    history: attempts.value,
    shown,
    isCut: whole > Math.max(wanted.from, Date.parse(head.created_at)),
    minutes: span === null ? Number(minutes) : null,
    isLive: isOpen(head),
  });
  const behind = useTableBehind({
    label: 'Attempts',
    rows: attempts.value?.attempts ?? [],
    keyOf: ({ index, attempt }) => `${index} ${attempt}`,
    columns: useMemo(() => columnsOf(nameOfWorker), [nameOfWorker]),
  });
  return (
    <Panel
      id="attempts"
      title="Attempts by device"
      note={isEmpty ? undefined : `${told}, ${of}`}
      actions={
        <>
          <span class="key wide-only" hidden={isEmpty}>
            <Key name="completed" />
            <Key name="running" />
            <Key name="failed" />
            <span>
              <i class="job-lost" />
              lost
            </span>
            <span>
              <i class="job-checkpoint" />
              checkpoint
            </span>
          </span>
          {span === null ? (
            <Choice
              label="Length of time"
              options={windows}
              chosen={minutes}
              onChoose={(value) => setQuery({ minutes: value === usual ? null : value })}
            />
          ) : (
            <Button isSmall onPress={() => setSpan(null)}>
              {isOpen(head) ? 'Go live' : 'Back'}
            </Button>
          )}
          {behind.button}
        </>
      }
    >
      <PartOfPage part={attempts} what="the attempts" sentenceOf={sentenceOf} lines={6}>
        {({ kept_since: since, left_out: left }) =>
          behind.isOpen ? (
            behind.table
          ) : isEmpty ? (
            <p class="soft">
              {head.task_count === 0
                ? 'There are no tasks, so there are no attempts.'
                : `No attempt of this job was live in this time. What ended is kept since ${clock(new Date(since))}.`}
            </p>
          ) : (
            <>
              <Gantt
                label={findingOf(picture.groups.length, picture.arrows.length)}
                groups={picture.groups}
                arrows={picture.arrows}
                span={shown}
                nowMs={knownMs}
                onSpan={setSpan}
                onOpen={go}
                endName={isOpen(head) ? 'now' : 'end'}
              />
              <p class="job-more">
                {areAll || hasMore ? (
                  <Button isSmall onPress={() => setAll(!areAll)}>
                    {areAll
                      ? 'Fewer'
                      : picture.hidden > 0
                        ? `${counted(picture.hidden, 'device')} more, and all slots`
                        : 'All slots'}
                  </Button>
                ) : null}
                {tooMany === null ? null : (
                  <span class="mute">{`${grouped(tooMany)} checkpoints are too many to be drawn.`}</span>
                )}
                {left > 0 ? (
                  <span class="mute">{`The newest attempts; ${counted(left, 'older one')} left out.`}</span>
                ) : null}
              </p>
            </>
          )
        }
      </PartOfPage>
    </Panel>
  );
}

function findingOf(devices: number, arrows: number): string {
  const recovered =
    arrows === 0 ? '' : `; ${counted(arrows, 'attempt')} went on from one that was lost`;
  return `Attempts on ${counted(devices, 'device')}${recovered}.`;
}

function Key({ name }: { readonly name: 'completed' | 'running' | 'failed' }) {
  return (
    <span>
      <i class={`fill-${name}`} />
      {name}
    </span>
  );
}

function columnsOf(
  nameOfWorker: (id: string) => string,
): readonly BehindColumn<AttemptOfHistory>[] {
  const at = (time: string | null): number | null => (time === null ? null : Date.parse(time));
  return [
    {
      id: 'task',
      head: 'Task',
      isNumber: true,
      card: 'lead',
      sortBy: ({ index }) => index,
      cell: ({ job_id: job, index }) => (
        <a class="link" href={pathOfTask(job, index)}>
          {grouped(index)}
        </a>
      ),
    },
    {
      id: 'attempt',
      head: 'Attempt',
      isNumber: true,
      sortBy: ({ attempt }) => attempt,
      cell: ({ attempt }) => grouped(attempt),
    },
    {
      id: 'worker',
      head: 'Worker',
      sortBy: ({ worker_id: id }) => nameOfWorker(id),
      cell: ({ worker_id: id }) => nameOfWorker(id),
    },
    {
      id: 'slot',
      head: 'Slot',
      isNumber: true,
      sortBy: ({ slot }) => slot,
      cell: ({ slot }) => (slot === null ? <NotTold why="It has not begun." /> : grouped(slot)),
    },
    {
      id: 'status',
      head: 'Came to',
      sortBy: ({ status }) => status,
      cell: ({ status }) => status.replace('_', ' '),
    },
    {
      id: 'started',
      head: 'Began',
      isNumber: true,
      sortBy: ({ started_at: from }) => at(from),
      csv: ({ started_at: from }) => from,
      cell: ({ started_at: from }) => <Time at={from} without="It has not begun." />,
    },
    {
      id: 'ended',
      head: 'Ended',
      isNumber: true,
      sortBy: ({ ended_at: to }) => at(to),
      csv: ({ ended_at: to }) => to,
      cell: ({ ended_at: to }) => <Time at={to} />,
    },
    {
      id: 'error',
      head: 'Error',
      sortBy: ({ error_type: error }) => error,
      cell: ({ error_type: error }) => error ?? '',
    },
  ];
}
