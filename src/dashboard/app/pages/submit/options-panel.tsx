// How the job is done: folded, as most jobs need none of it.

import { useEffect, useState } from 'preact/hooks';
import { workerList } from '../../store/cluster.ts';
import { changeDraft, draft } from './draft.ts';
import { suggestionsFor } from './fitting.ts';
import {
  needFields,
  type OptionField,
  optionFields,
  type OptionTexts,
  sentenceOfOptions,
} from './options.ts';
import { FaultLine } from './program-panel.tsx';

interface OptionsPanelProps {
  /** By the names of the fields. */
  readonly faults: OptionTexts;
  /** What the coordinator said of one. */
  readonly refused: string | null;
}

export function OptionsPanel({ faults, refused }: OptionsPanelProps) {
  const { options, origin } = draft.value;
  const isWrong = refused !== null || Object.keys(faults).length > 0;
  const [isOpen, setOpen] = useState(isWrong || origin !== null);
  // What is wrong is shown. That it is right again closes nothing: somebody may be typing in it.
  useEffect(() => {
    if (isWrong) setOpen(true);
  }, [isWrong]);
  return (
    <details
      class="panel span-12 submit-options"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <b>Options</b> <span class="mute">{sentenceOfOptions(options)}</span>
      </summary>
      <div class="body stack">
        <FaultLine fault={refused === null ? null : { sentence: refused, line: null }} />
        <div class="submit-fields">
          {optionFields.map((field) => (
            <Field key={field.name} field={field} fault={faults[field.name]} />
          ))}
        </div>
        <h3>A device must have</h3>
        <div class="submit-fields">
          {needFields.map((field) => (
            <Field key={field.name} field={field} fault={faults[field.name]} />
          ))}
        </div>
      </div>
    </details>
  );
}

function Field({
  field: { name, label, hint, kind, words = ['true', 'false'], without },
  fault,
}: {
  readonly field: OptionField;
  readonly fault: string | undefined;
}) {
  const { options } = draft.value;
  const value = options[name] ?? '';
  const set = (text: string): void => changeDraft({ options: { ...options, [name]: text } });
  const id = `option-${name}`;
  const suggested = suggestionsFor(name, options, workerList.value ?? []);
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {kind === 'word' || kind === 'flag' ? (
        <select
          id={id}
          value={value}
          aria-describedby={`${id}-hint`}
          onChange={({ currentTarget }) => set(currentTarget.value)}
        >
          <option value="">{wordOf(without)}</option>
          {words
            .filter((word) => word !== without)
            .map((word) => (
              <option key={word} value={word}>
                {wordOf(word)}
              </option>
            ))}
        </select>
      ) : (
        <input
          id={id}
          value={value}
          placeholder={without}
          aria-describedby={`${id}-hint`}
          aria-invalid={fault === undefined ? undefined : true}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          list={suggested.length === 0 ? undefined : `${id}-known`}
          autocomplete="off"
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      {suggested.length === 0 ? null : (
        <datalist id={`${id}-known`}>
          {suggested.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
      <small id={`${id}-hint`} class={fault === undefined ? 'mute' : 'bad'}>
        {fault ?? hint}
      </small>
    </div>
  );
}

function wordOf(word: string): string {
  if (word === 'true') return 'yes';
  if (word === 'false' || word === 'off') return 'no';
  return word.replaceAll('_', ' ');
}
