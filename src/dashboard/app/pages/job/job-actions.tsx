// What can be done with a job by whoever may.

import { useState } from 'preact/hooks';
import type { JobErrors } from '../../../../protocol/resources.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { go } from '../../shell/address.ts';
import { ask, attempt, tell } from '../../shell/asking.tsx';
import type { JobHead } from '../../store/cluster.ts';
import { change, pathOfJob } from '../../store/endpoint.ts';
import { mostReadBack } from '../../store/readable-inputs.ts';
import { mayReadPayloads, maySubmit } from '../../store/session.ts';
import { isOpen } from '../../store/job-share.ts';
import { grouped } from '../../text/numbers.ts';
import { counted, nameOf } from '../../text/words.ts';
import { Downloads } from './downloads.tsx';
import { retryWarning } from './error-verdict.ts';
import { lossOfCancel, retryText } from './job-sentences.ts';

interface JobActionsProps {
  readonly head: JobHead;
  /** Null: not known yet. */
  readonly errors: JobErrors | null;
  readonly onChanged: () => void;
}

export function JobActions({ head, errors, onChanged }: JobActionsProps) {
  // Nothing is shown as done before the coordinator has said so.
  const [isCancelling, setCancelling] = useState(false);
  const path = pathOfJob(head.id);
  const isGoing = isOpen(head);
  const retry = head.status === 'cancelled' ? null : retryText(head.counts);
  const warning = retry === null ? null : retryWarning(errors, head.counts.failed);
  const notes = [
    ...(warning === null ? [] : [`Retry: ${warning}.`]),
    ...(head.task_count > mostReadBack
      ? ['Submit again: without its inputs, they are too many.']
      : []),
  ];
  const post = async (action: string): Promise<void> => {
    await change('POST', `${path}/${action}`);
    onChanged();
  };
  const hold = () =>
    attempt('Not held', async () => {
      await post('hold');
      tell({
        text: `${nameOf(head)} is held: nothing new of it starts.`,
        undo: { text: 'Release', onUndo: () => post('release') },
      });
    });
  const cancel = (): void =>
    ask({
      title: `Cancel ${nameOf(head)}?`,
      body: lossOfCancel(head).map((line) => <p key={line}>{line}</p>),
      action: 'Cancel the job',
      keep: 'Let it go on',
      onAction: async () => {
        await post('cancel');
        setCancelling(true);
      },
    });
  const remove = (): void =>
    ask({
      title: `Delete ${nameOf(head)}?`,
      body: (
        <p>
          {counted(head.task_count, 'task')}, {counted(head.counts.completed, 'result')} and all
          checkpoints of it are removed. Nothing brings them back.
        </p>
      ),
      action: 'Delete the job',
      keep: 'Keep it',
      onAction: async () => {
        await change('DELETE', path);
        go('/jobs');
        tell({ text: `${nameOf(head)} was deleted.` });
      },
    });
  return (
    <div class="job-actions row">
      {mayReadPayloads.value && head.counts.completed + head.counts.failed > 0 ? (
        <Downloads head={head} />
      ) : null}
      {maySubmit.value ? (
        <>
          {retry === null ? null : (
            <Button
              onPress={() =>
                attempt('Not retried', async () => {
                  await post('retry');
                  tell({ text: `${grouped(head.counts.failed)} failed wait again.` });
                })
              }
            >
              {retry}
            </Button>
          )}
          <ButtonLink href={`/submit?again=${encodeURIComponent(head.id)}`}>
            Submit again…
          </ButtonLink>
          {!isGoing || isCancelling ? null : head.held_since === null ? (
            <Button onPress={hold}>Hold</Button>
          ) : (
            <Button onPress={() => attempt('Not released', () => post('release'))}>Release</Button>
          )}
          {!isGoing ? (
            <Button kind="danger" onPress={remove}>
              Delete job…
            </Button>
          ) : isCancelling ? (
            <span class="mute" role="status">
              cancelling…
            </span>
          ) : (
            <Button kind="danger" onPress={cancel}>
              Cancel job…
            </Button>
          )}
        </>
      ) : null}
      {maySubmit.value && notes.length > 0 ? <p class="mute job-notes">{notes.join(' ')}</p> : null}
    </div>
  );
}
