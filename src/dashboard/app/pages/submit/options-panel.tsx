// How the job is done: folded, as most jobs need none of it.

import { changeDraft, draft } from './draft.ts';
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
  const { options } = draft.value;
  const isWrong = refused !== null || Object.keys(faults).length > 0;
  return (
    <details class="panel span-12 submit-options" open={isWrong || undefined}>
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
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
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
