// The last minutes of every device, beside the numbers: the Timeline in short.

import { useMemo, useRef } from 'preact/hooks';
import type { AttemptHistory } from '../../../../protocol/resources.ts';
import { Gantt } from '../../parts/gantt.tsx';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { go } from '../../shell/address.ts';
import { coordinatorTime, now } from '../../store/clock.ts';
import { jobList } from '../../store/cluster.ts';
import { read, sentenceOf } from '../../store/endpoint.ts';
import { pausedAtMs } from '../../store/freshness.ts';
import { nameOfJob, nameOfWorker } from '../../store/names.ts';
import { usePart } from '../../store/resource.ts';
import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { heatStrips } from '../timeline/heat-strip.ts';
import { HeatStrips } from '../timeline/heat-strips.tsx';
import { colourJobs, jobsInView, restColour } from '../timeline/job-colours.ts';
import { fewRows, timelineGroups } from '../timeline/timeline-rows.ts';

const lengthMs = 120_000;
const everyMs = 5_000;
const mostAttempts = 3_000;
/** As many as stand beside the rest of the page; more devices than these are a strip each. */
const mostRows = 56;
const buckets = 60;

export function TimelinePanel() {
  const nowMs = pausedAtMs.value ?? now.value;
  const span = { from: nowMs - lengthMs, to: nowMs };
  const part = usePart(
    'timeline in short',
    (signal) => {
      const since = new Date(coordinatorTime() - lengthMs).toISOString();
      return read<AttemptHistory>(
        '/api/evaluation/attempts',
        { since, limit: mostAttempts },
        signal,
      );
    },
    { everyMs },
  );
  const attempts = part.value?.attempts ?? [];
  const inView = useMemo(
    () => jobsInView(attempts, jobList.value ?? []),
    [attempts, jobList.value],
  );
  const colours = useRef<ReadonlyMap<string, string>>(new Map());
  colours.current = colourJobs(
    colours.current,
    inView.map(({ id }) => id),
  );
  const colourOf = (id: string): string => colours.current.get(id) ?? restColour;
  const groups = useMemo(
    () => timelineGroups({ attempts, nameOfWorker, nameOfJob, colourOf }, { span, nowMs }),
    [attempts, span.from, inView],
  );
  const left = part.value?.left_out ?? 0;
  return (
    <Panel
      title="Timeline"
      note={`last 2 minutes, ${counted(groups.length, 'device')} at work`}
      class="overview-timeline"
      actions={
        <a class="link overview-all" href="/timeline">
          All slots
        </a>
      }
    >
      <PartOfPage part={part} what="the attempts" sentenceOf={sentenceOf} lines={8}>
        {() =>
          groups.length === 0 ? (
            <Empty>Nothing was at work in the last 2 minutes.</Empty>
          ) : (
            <>
              <p class="key">
                {inView.map(({ id }) => (
                  <span key={id}>
                    <i style={{ background: `var(--${colourOf(id)})` }} />
                    {nameOfJob(id)}
                  </span>
                ))}
              </p>
              {left === 0 ? null : (
                <p class="mute">{`The newest ${grouped(attempts.length)} attempts; ${counted(left, 'older one')} left out.`}</p>
              )}
              {groups.length > mostRows ? (
                <HeatStrips
                  label={`How busy ${counted(groups.length, 'device')} were.`}
                  strips={heatStrips(groups, { span, nowMs, buckets })}
                  span={span}
                />
              ) : (
                <Gantt
                  label={`Attempts on ${counted(groups.length, 'device')} in the last 2 minutes.`}
                  groups={fewRows(groups, mostRows)}
                  span={span}
                  nowMs={nowMs}
                  onOpen={go}
                />
              )}
            </>
          )
        }
      </PartOfPage>
    </Panel>
  );
}
