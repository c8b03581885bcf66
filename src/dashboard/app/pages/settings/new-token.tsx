// Makes a token. Its text is shown once, as the coordinator keeps only a hash of it.

import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { NewToken } from '../../../../client/tokens.ts';
import { Button } from '../../parts/button.tsx';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { change, sentenceOf } from '../../store/endpoint.ts';

type Kind = 'admin' | 'client' | 'viewer';

const kinds: Readonly<Record<Kind, string>> = {
  client: 'client: submits jobs, and sees those of its owner',
  viewer: 'viewer: looks on',
  admin: 'admin: everything',
};

const ends: readonly (readonly [string, string])[] = [
  ['', 'never'],
  ['86400', 'in a day'],
  ['604800', 'in a week'],
  ['2592000', 'in 30 days'],
  ['31536000', 'in a year'],
];

const isOpen = signal(false);

export function askForToken(): void {
  isOpen.value = true;
}

interface NewTokenProps {
  /** There is none yet: the first has to be one of an admin. */
  readonly isFirst: boolean;
  readonly onMade: () => void;
}

export function NewTokenDialog(props: NewTokenProps) {
  return isOpen.value ? <Form {...props} /> : null;
}

function Form({ isFirst, onMade }: NewTokenProps) {
  const [kind, setKind] = useState<Kind>(isFirst ? 'admin' : 'client');
  const [owner, setOwner] = useState('');
  const [label, setLabel] = useState('');
  const [expires, setExpires] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [made, setMade] = useState<NewToken | null>(null);
  const close = (): void => {
    isOpen.value = false;
  };
  const make = async (): Promise<void> => {
    try {
      const asked = {
        kind,
        ...(owner.trim() === '' ? {} : { owner: owner.trim() }),
        ...(label.trim() === '' ? {} : { label: label.trim() }),
        ...(expires === '' ? {} : { expires_in_seconds: Number(expires) }),
      };
      setMade(await change<NewToken>('POST', '/api/tokens', asked));
      onMade();
    } catch (error) {
      setFault(sentenceOf(error));
    }
  };
  if (made !== null) {
    return (
      <Dialog
        title="Copy the token now"
        onClose={close}
        actions={
          <Button kind="primary" onPress={close}>
            I have it
          </Button>
        }
      >
        <div class="stack">
          <p>It is shown only now: nobody can read it again, and whoever has it may use it.</p>
          <CopyLine text={made.token} label="the token" />
        </div>
      </Dialog>
    );
  }
  const actions = (
    <>
      <Button onPress={close}>Make none</Button>
      <Button kind="primary" onPress={make}>
        Make the token
      </Button>
    </>
  );
  return (
    <Dialog title="A new token" actions={actions} onClose={close}>
      <div class="stack">
        {isFirst ? (
          <p class="warn">
            It is the first, and so one of an admin: from then on everybody is asked for a token,
            from this browser too.
          </p>
        ) : (
          <label class="field">
            <span>Kind</span>
            <select
              value={kind}
              onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
            >
              {Object.entries(kinds).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        )}
        {kind === 'client' ? (
          <label class="field">
            <span>Owner: whose the jobs are (empty: nobody else’s)</span>
            <input
              value={owner}
              autocomplete="off"
              onInput={({ currentTarget }) => setOwner(currentTarget.value)}
            />
          </label>
        ) : null}
        <label class="field">
          <span>Label: for whom or what</span>
          <input
            value={label}
            autocomplete="off"
            onInput={({ currentTarget }) => setLabel(currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>It ends</span>
          <select value={expires} onChange={({ currentTarget }) => setExpires(currentTarget.value)}>
            {ends.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {fault === null ? null : (
          <p class="bad" role="alert">
            {fault}
          </p>
        )}
      </div>
    </Dialog>
  );
}
