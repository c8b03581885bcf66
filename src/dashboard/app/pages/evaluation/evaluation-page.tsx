// How well the work went: in a period, in a job, or in two of them side by side.

import { useEffect, useMemo } from 'preact/hooks';
import type { SchedulerHistoryEntry } from '../../../../client/scheduler.ts';
import { Button } from '../../parts/button.tsx';
import { roundTop } from '../../parts/chart-scale.ts';
import { besides, periods } from '../../parts/periods.ts';
import { save } from '../../parts/save.ts';
import { query, setQuery } from '../../shell/address.ts';
import { useKeys } from '../../shell/keys.ts';
import { algorithmChanges } from '../../store/algorithm-changes.ts';
import { now } from '../../store/clock.ts';
import { useSchedulerHistory } from '../../store/scheduler-history.ts';
import { usePartOfCluster } from '../../store/cluster.ts';
import { nameOfJob } from '../../store/names.ts';
import { bucketRates } from './bucket-rates.ts';
import { workersAsCsv } from './exported.ts';
import { FiguresPanel } from './figures-panel.tsx';
import { type Findings, useFindings } from './findings.ts';
import { JobsPanel } from './jobs-panel.tsx';
import { LoadPanel } from './load-panel.tsx';
import { isSame, type Phrase, sentenceOfOne, sentenceOfTwo } from './sentence.ts';
import { SubjectChoice } from './subject-choice.tsx';
import { nameOfSubject, subjectOf, textOf, usualSubject } from './subject.ts';
import { type Comparison, comparedJob, comparisonOf, plainComparison } from './shared-jobs.ts';
import { SharedChoice } from './shared-choice.tsx';
import { useSharedJobs } from './use-shared-jobs.ts';
import { spreadOf, timesByWorker } from './spread.ts';
import { ThroughputPanel } from './throughput-panel.tsx';
import { TimesNote } from './times-note.tsx';
import { TimePanel } from './time-panel.tsx';

export function Page() {
  useEffect(() => usePartOfCluster('jobs'), []);
  const subject = subjectOf(query.value.get('of')) ?? usualSubject;
  const against = subjectOf(query.value.get('against'));
  const shared = useSharedJobs(subject, against);
  // What is read of all jobs would be misread until it is known which of them are in both.
  const isReady = shared === null || shared.value !== null || shared.error !== null;
  const jobs = shared?.value ?? null;
  const job = jobs && comparedJob(jobs, query.value.get('within'));
  const comparison = jobs === null ? plainComparison : comparisonOf(jobs, job, nameOfJob);
  const one = useFindings(isReady ? subject : null, subject, job);
  const its = useFindings(isReady ? against : null, subject, job);
  const other = against === null ? null : its;
  const sides = other === null ? [one] : [one, other];
  const changes = useSchedulerHistory().value ?? noChanges;
  const naming = { nameOfJob, nowMs: now.value, changes };
  const names = sides.map((side) => nameOfSubject(side.subject, naming));
  const marks = useMemo(() => algorithmChanges(changes), [changes]);
  const step = (by: number): void => {
    if (subject.kind !== 'period') return;
    setQuery({ of: besides(periods, subject.period, by).value });
  };
  useKeys({ '[': () => step(-1), ']': () => step(1) });
  const tops = useTops(sides);
  return (
    <div class="evaluation stack">
      <Sentence sides={sides} names={names} comparison={comparison} changes={changes} />
      <div class="row evaluation-head">
        <SubjectChoice
          label="Evaluated"
          chosen={subject}
          changes={changes}
          onChoose={(next) => setQuery({ of: next === null ? null : textOf(next) })}
        />
        <SubjectChoice
          label="Compared with"
          chosen={against}
          none="Nothing"
          changes={changes}
          onChoose={(next) => setQuery({ against: next === null ? null : textOf(next) })}
        />
        {jobs === null || jobs.both.length === 0 ? null : <SharedChoice jobs={jobs} chosen={job} />}
        <Exports findings={one} name={names[0]!} />
      </div>
      <div class="grid">
        <FiguresPanel one={one} other={other} names={names} comparison={comparison} />
        {sides.map((side, place) => (
          <ThroughputPanel
            key={place}
            findings={side}
            name={names[place]!}
            span={other === null ? 12 : 6}
            marks={marks}
            most={other === null ? undefined : tops.rate}
          />
        ))}
        {sides.map((side, place) => (
          <LoadPanel key={place} findings={side} name={names[place]!} top={tops.share} />
        ))}
        {sides.map((side, place) => (
          <TimePanel key={place} findings={side} name={names[place]!} top={tops.time} />
        ))}
        {sides.map((side, place) => (
          <JobsPanel
            key={place}
            findings={side}
            name={names[place]!}
            span={other === null ? 12 : 6}
          />
        ))}
      </div>
    </div>
  );
}

function Sentence({
  sides,
  names,
  comparison,
  changes,
}: {
  readonly sides: readonly Findings[];
  readonly names: readonly string[];
  readonly comparison: Comparison;
  readonly changes: readonly SchedulerHistoryEntry[];
}) {
  const there = sides.flatMap(({ metrics, load }, place) =>
    metrics.value === null || load.value === null
      ? []
      : [{ name: names[place]!, metrics: metrics.value, load: load.value }],
  );
  if (there.length < sides.length) return <h1 class="lede">How well the work went</h1>;
  const [one, other] = there;
  const phrases: readonly Phrase[] =
    other === undefined ? sentenceOfOne(one!) : sentenceOfTwo(one!, other, comparison);
  const areTimes = sides.every(({ subject }) => subject.kind !== 'job');
  const isOfPresent = sides.some(
    ({ subject }) => subject.kind === 'since' && subject.at === changes[0]?.at,
  );
  return (
    <>
      <h1 class="lede">
        {phrases.map(({ text, isStrong }, place) =>
          isStrong === true ? <b key={place}>{text}</b> : <span key={place}>{text}</span>,
        )}
      </h1>
      {other !== undefined && areTimes ? (
        <TimesNote
          changes={isOfPresent ? changes : noChanges}
          areSame={comparison.isTold && isSame(one!, other)}
        />
      ) : null}
    </>
  );
}

const noChanges: readonly SchedulerHistoryEntry[] = [];

/** Scales that both sides share, so that lengths can be compared. */
function useTops(sides: readonly Findings[]) {
  const rate = Math.max(
    ...sides.flatMap(({ throughput: { value } }) =>
      value === null ? [] : bucketRates(value).map((each) => each ?? 0),
    ),
    0,
  );
  const share = Math.max(
    ...sides.flatMap(({ load: { value } }) => value?.workers.map((each) => each.share) ?? []),
    0,
  );
  const time = useMemo(
    () =>
      Math.max(
        ...sides.flatMap(({ attempts: { value } }) =>
          [...timesByWorker(value?.attempts ?? []).values()].map(
            (times) => spreadOf(times)!.dots.at(-1)!,
          ),
        ),
        0,
      ),
    sides.map(({ attempts }) => attempts.value),
  );
  return { rate: roundTop(rate), share: Math.min(1, roundTop(share)), time: roundTop(time) };
}

function Exports({ findings, name }: { readonly findings: Findings; readonly name: string }) {
  const { subject, ...parts } = findings;
  const values = Object.fromEntries(
    Object.entries(parts).map(([part, { value }]) => [part, value]),
  );
  const { load, performance, attempts } = findings;
  const file = `evaluation-${name}`;
  return (
    <span class="row end">
      <Button
        label="Download the workers as CSV"
        isDisabled={load.value === null || performance.value === null}
        onPress={() =>
          save(
            [
              workersAsCsv({
                load: load.value!,
                performance: performance.value!,
                attempts: attempts.value?.attempts ?? [],
              }),
            ],
            `${file}.csv`,
            'text/csv',
          )
        }
      >
        CSV
      </Button>
      <Button
        label="Download all that was read as JSON"
        isDisabled={findings.metrics.value === null}
        onPress={() =>
          save(
            [
              JSON.stringify(
                { of: textOf(subject), at: new Date(now.value).toISOString(), ...values },
                null,
                2,
              ),
            ],
            `${file}.json`,
            'application/json',
          )
        }
      >
        JSON
      </Button>
    </span>
  );
}
