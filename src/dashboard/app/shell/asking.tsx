// Asks before what cannot be taken back, and tells in a line what came of an action, with a way to undo it where
// there is one.

import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { sentenceOf } from '../store/endpoint.ts';
import { visit } from '../store/session.ts';

export interface Question {
  readonly title: string;
  /** What is lost, and what stays: counted. */
  readonly body: ComponentChildren;
  /** Verb and object, as `Cancel the job`. */
  readonly action: string;
  /** The button that changes nothing, as `Keep it`. */
  readonly keep: string;
  readonly isDestructive?: boolean;
  /** This word has to be typed first. */
  readonly word?: string;
  readonly onAction: () => Promise<unknown>;
}

export interface Notice {
  readonly text: string;
  readonly isFault?: boolean;
  readonly undo?: { readonly text: string; readonly onUndo: () => Promise<unknown> };
}

const shownMs = 10_000;

const question = signal<Question | null>(null);
const notices = signal<readonly (Notice & { readonly id: number })[]>([]);
let noticeId = 0;

effect(() => {
  // Nothing of it is for whoever is here now.
  if (visit.value === 0) return;
  question.value = null;
  notices.value = [];
});

export function ask(asked: Question): void {
  question.value = asked;
}

export function tell(notice: Notice): void {
  const id = ++noticeId;
  notices.value = [...notices.value.slice(-2), { ...notice, id }];
  setTimeout(() => dismiss(id), shownMs);
}

/** Does it, and tells why it was not done if it failed. `failed`: what did not happen, as `Not cancelled`. */
export async function attempt(failed: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    tell({ text: `${failed}: ${sentenceOf(error)}`, isFault: true });
    return false;
  }
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function Asking() {
  return (
    <>
      {question.value === null ? null : (
        <QuestionDialog key={question.value.title} asked={question.value} />
      )}
      <div class="notices" role="status">
        {notices.value.map(({ id, text, isFault = false, undo }) => (
          <div key={id} class={isFault ? 'notice bad' : 'notice'}>
            <span>{text}</span>
            {undo === undefined ? null : (
              <Button
                isSmall
                onPress={async () => {
                  dismiss(id);
                  await attempt('Not undone', undo.onUndo);
                }}
              >
                {undo.text}
              </Button>
            )}
            <Button kind="bare" isSmall label="Dismiss" onPress={() => dismiss(id)}>
              OK
            </Button>
          </div>
        ))}
      </div>
    </>
  );
}

function QuestionDialog({ asked }: { readonly asked: Question }) {
  const { title, body, action, keep, isDestructive = true, word, onAction } = asked;
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const close = (): void => {
    question.value = null;
  };
  const act = async (): Promise<void> => {
    try {
      await onAction();
      close();
    } catch (error) {
      setFault(sentenceOf(error));
    }
  };
  const actions = (
    <>
      <Button onPress={close}>{keep}</Button>
      <Button
        kind={isDestructive ? 'danger' : 'primary'}
        isDisabled={word !== undefined && typed !== word}
        onPress={act}
      >
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} actions={actions} onClose={close}>
      <div class="stack">
        {body}
        {word === undefined ? null : (
          <label class="field">
            <span>
              Type <b>{word}</b> to go on
            </span>
            <input
              value={typed}
              autocomplete="off"
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
        )}
        {fault === null ? null : (
          <p class="bad" role="alert">
            {fault}
          </p>
        )}
      </div>
    </Dialog>
  );
}
