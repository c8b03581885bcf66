// A job is made: a program, its inputs, and how it is done.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/panel.tsx';
import { go, query } from '../../shell/address.ts';
import { attempt, tell } from '../../shell/asking.tsx';
import { usePartOfCluster, workerList } from '../../store/cluster.ts';
import { change, pathOfJob, sentenceOf } from '../../store/endpoint.ts';
import { maySubmit, session } from '../../store/session.ts';
import { grouped } from '../../text/numbers.ts';
import { counted, nameOf } from '../../text/words.ts';
import { draft, format, isBlank, reading, source, takeExample } from './draft.ts';
import { ExampleCards } from './example-cards.tsx';
import { examples } from './examples.ts';
import { type Fitting, fittingOf } from './fitting.ts';
import { InputsPanel } from './inputs-panel.tsx';
import { firstFault, readOptions } from './options.ts';
import { OptionsPanel } from './options-panel.tsx';
import { ProgramPanel } from './program-panel.tsx';
import { useReading } from './reading-inputs.ts';
import { lineInProgram, type Refusal, refusalOf } from './refusal.ts';
import { sendDraft, tryOne } from './sending.ts';
import { OriginLine, TakingJob } from './taking-job.tsx';
import { type Try, TryPanel } from './try-panel.tsx';
import { isUnderstood } from './understood.ts';

export function Page() {
  if (session.value !== null && !maySubmit.value) {
    return (
      <>
        <h1 class="lede">You look on: submitting a job takes a token of a client.</h1>
        <Empty actions={<ButtonLink href="/jobs">To the jobs</ButtonLink>}>
          Whoever runs this coordinator makes one, and you log in with it in Settings.
        </Empty>
      </>
    );
  }
  const again = query.value.get('again');
  return again === null ? <Form /> : <TakingJob key={again} id={again} />;
}

interface Progress {
  readonly count: number;
  readonly isWhole: boolean;
}

function Form() {
  useEffect(() => usePartOfCluster('workers'), []);
  useEffect(openExample, []);
  useReading();
  const [refused, setRefused] = useState<Refusal | null>(null);
  const [tried, setTried] = useState<Try | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [areExamplesOpen, setExamplesOpen] = useState(isBlank.value);
  const running = useRef<AbortController | null>(null);
  useEffect(() => setRefused(null), [draft.value]);
  useEffect(() => () => running.current?.abort(), []);

  const { options, faults } = readOptions(draft.value.options);
  const fitting =
    workerList.value === null ? null : fittingOf(workerList.value, options.requirements);
  const lacking = whatLacks(faults);
  const found = reading.value;
  const count = isUnderstood(found) && found.isWhole ? found.count : null;

  /** What fails is shown at its place, unless it was given up. */
  const doing = async (action: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const end = new AbortController();
    running.current?.abort();
    running.current = end;
    setRefused(null);
    try {
      await action(end.signal);
    } catch (error) {
      if (end.signal.aborted) return;
      const refusal = await refusalOf(error, format.value, source.value);
      setRefused(refusal.place === 'job' ? { ...refusal, sentence: sentenceOf(error) } : refusal);
      setTried(null);
    } finally {
      if (running.current === end) setProgress(null);
    }
  };

  const send = (): Promise<void> =>
    doing(async (signal) => {
      setProgress({ count: 0, isWhole: false });
      const onRead = (read: number, isWhole: boolean) => setProgress({ count: read, isWhole });
      const sent = { format: format.value, source: source.value, signal, onRead };
      const job = await sendDraft(draft.value, sent);
      tell({ text: `Submitted: ${nameOf(job)}, ${counted(job.task_count, 'task')}.` });
      go(`/jobs/${encodeURIComponent(job.id)}`);
    });

  const tryFirst = (): Promise<void> =>
    doing(async (signal) => {
      if (!isUnderstood(found)) return;
      setTried({ state: 'waiting', jobId: null });
      const outcome = await tryOne(draft.value, found.first, {
        signal,
        onJob: (jobId) => setTried({ state: 'waiting', jobId }),
      });
      setTried({ state: 'ended', outcome });
    });

  const stopTrying = async (): Promise<void> => {
    running.current?.abort();
    const jobId = tried?.state === 'waiting' ? tried.jobId : null;
    setTried(null);
    if (jobId !== null) {
      await attempt('Not cancelled', () => change('POST', `${pathOfJob(jobId)}/cancel`));
    }
  };

  const at = (place: Refusal['place']) => (refused?.place === place ? refused : null);
  const isTrying = tried?.state === 'waiting';
  const failedLine =
    tried?.state === 'ended' && tried.outcome.task.error !== null
      ? lineInProgram(tried.outcome.task.error)
      : null;
  return (
    <>
      <Sentence count={count} fitting={fitting} />
      <OriginLine />
      {areExamplesOpen ? <ExampleCards onRun={send} /> : null}
      <div class="grid">
        <ProgramPanel
          fault={
            at('program') ??
            (failedLine === null
              ? null
              : { sentence: `The try failed at line ${failedLine}.`, line: failedLine })
          }
        />
        <InputsPanel refused={at('inputs')} />
        <OptionsPanel faults={faults} refused={at('options')?.sentence ?? null} />
      </div>
      {at('job') === null ? null : (
        <p class="bad submit-fault" role="alert">{`Not submitted. ${at('job')?.sentence}`}</p>
      )}
      <div class="row submit-deeds">
        {isTrying ? (
          <Button onPress={stopTrying}>Stop trying</Button>
        ) : (
          <Button
            isDisabled={lacking !== null || progress !== null}
            onPress={() => void tryFirst()}
          >
            Try on one input
          </Button>
        )}
        <Button
          kind="primary"
          isDisabled={lacking !== null || count === null || isTrying || progress !== null}
          onPress={send}
        >
          {count === null ? 'Submit' : `Submit ${counted(count, 'task')}`}
          {fitting === null || fitting.why === null || count === null ? null : ', to wait'}
        </Button>
        {progress === null ? (
          <span class="mute">{lacking}</span>
        ) : (
          <Sending progress={progress} of={count} onStop={() => running.current?.abort()} />
        )}
        {areExamplesOpen ? null : (
          <Button kind="bare" onPress={() => setExamplesOpen(true)}>
            Show the examples
          </Button>
        )}
      </div>
      {tried === null ? null : <TryPanel tried={tried} />}
    </>
  );
}

/** `/submit?example=pi` opens it, where nothing was begun yet. */
function openExample(): void {
  const example = examples.find(({ id }) => id === query.value.get('example'));
  if (example !== undefined && isBlank.value) takeExample(example);
}

/** Why it cannot be sent yet; null: it can. */
function whatLacks(faults: Readonly<Record<string, string>>): string | null {
  const { program } = draft.value;
  if (program.trim() === '') return 'It needs a program.';
  if (!/default|\\/.test(program)) return 'The program needs an `export default function`.';
  if (!isUnderstood(reading.value)) return 'It needs inputs.';
  return firstFault(faults);
}

function Sentence({
  count,
  fitting,
}: {
  readonly count: number | null;
  /** Null: the devices are not known yet. */
  readonly fitting: Fitting | null;
}) {
  return (
    <h1 class="lede">
      {count === null ? (
        'A program and its inputs make a job. '
      ) : (
        <>
          <b>{counted(count, 'task')}</b> to submit.{' '}
        </>
      )}
      {fitting === null ? null : <WhoMay {...fitting} />}
    </h1>
  );
}

function WhoMay({ here, fit, slots, why }: Fitting) {
  if (here === 0) {
    return <span class="warn">No device is here that could do them: they would wait.</span>;
  }
  if (why !== null) return <span class="warn">{why}</span>;
  const room = ` with ${counted(slots, 'slot')}`;
  if (fit < here) {
    return (
      <>
        <b>{`${grouped(fit)} of ${counted(here, 'device')}`}</b>
        {`${room} may run it.`}
      </>
    );
  }
  return (
    <>
      <b>{counted(here, 'device')}</b>
      {`${room} ${here === 1 ? 'is' : 'are'} here for it.`}
    </>
  );
}

function Sending({
  progress: { count, isWhole },
  of,
  onStop,
}: {
  readonly progress: Progress;
  readonly of: number | null;
  readonly onStop: () => void;
}) {
  const isKnown = of !== null && !isWhole && count > 0;
  return (
    <span class="row" role="status">
      <progress value={isKnown ? count : undefined} max={of ?? 1} aria-label="Sent" />
      <span class="mute">
        {isKnown ? `${grouped(count)} of ${counted(of, 'input')} are read` : 'It is sent.'}
      </span>
      <Button isSmall onPress={onStop}>
        Stop
      </Button>
    </span>
  );
}
