// The inputs: each makes a task. What is given as a file is not put into the page.

import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { bytes } from '../../text/numbers.ts';
import { CodeBox, FileButton } from './code-box.tsx';
import { changeDraft, draft, format, reading, takeFile, typeInputs } from './draft.ts';
import { formatNames, type InputFormat, inputFormats } from './input-format.ts';
import { type Fault, FaultLine } from './program-panel.tsx';
import { isUnderstood, sentenceOfInputs } from './understood.ts';

const options = inputFormats.map((value) => ({ value, text: formatNames[value] }));

const hints: Readonly<Record<InputFormat, string>> = {
  json: 'An array: each of its elements is an input.',
  ndjson: 'A JSON value on each line: each line is an input.',
  csv: 'The first row names the columns; each other row is an input, an object of texts.',
  lines: 'Each line is an input, as a text.',
  range: 'Whole numbers: each is an input.',
};

const placeholder = '[1, 2, 3]\n\nor a file: JSON, NDJSON,\nCSV or text';

/** `refused`: what the coordinator said of them. */
export function InputsPanel({ refused }: { readonly refused: Fault | null }) {
  const { file, text } = draft.value;
  const form = format.value;
  const found = reading.value;
  const unclear = found === null || isUnderstood(found) ? null : found;
  const fault = refused ?? unclear;
  return (
    <Panel
      title="Inputs"
      note="each makes a task"
      span={5}
      actions={
        <FileButton
          label="Open a file"
          accept=".json,.ndjson,.jsonl,.csv,.tsv,.txt"
          onFile={(given) => void takeFile(given)}
        />
      }
    >
      <div class="stack">
        <div class="submit-forms">
          <Choice
            label="Form of the inputs"
            options={options}
            chosen={form}
            onChoose={(chosen) => changeDraft({ chosen })}
          />
        </div>
        <p class="soft">{hints[form]}</p>
        {form === 'range' ? (
          <RangeFields />
        ) : file === null ? (
          <CodeBox
            label="Inputs"
            value={text}
            placeholder={placeholder}
            line={fault?.line ?? null}
            onInput={typeInputs}
            onFile={(given) => void takeFile(given)}
          />
        ) : (
          <p class="row submit-given">
            <span class="cut">
              <b>{file.name}</b> <span class="mute">{bytes(file.size)}</span>
            </span>
            <Button
              isSmall
              label={`Take ${file.name} away`}
              onPress={() => changeDraft({ file: null, beginning: '', chosen: null })}
            >
              Take away
            </Button>
          </p>
        )}
        <p class="submit-understood" role="status">
          {isUnderstood(found) ? sentenceOfInputs(found) : null}
        </p>
        <FaultLine fault={fault} />
      </div>
    </Panel>
  );
}

function RangeFields() {
  const { start, count } = draft.value;
  return (
    <div class="row submit-range">
      <label class="field">
        <span>From</span>
        <input
          inputMode="numeric"
          placeholder="0"
          value={start}
          onInput={({ currentTarget }) => changeDraft({ start: currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>How many</span>
        <input
          inputMode="numeric"
          placeholder="1000"
          value={count}
          onInput={({ currentTarget }) => changeDraft({ count: currentTarget.value })}
        />
      </label>
    </div>
  );
}
