// The program: a module whose default export is done for each input.

import { Panel } from '../../parts/panel.tsx';
import { tell } from '../../shell/asking.tsx';
import { sentenceOf } from '../../store/endpoint.ts';
import { bytes } from '../../text/numbers.ts';
import { CodeBox, FileButton } from './code-box.tsx';
import { changeDraft, draft } from './draft.ts';

export interface Fault {
  readonly sentence: string;
  readonly line: number | null;
}

/** As the limit of the coordinator is by itself; what is less is for it to say. */
const mostBytes = 8_000_000;

async function takeProgram(file: File): Promise<void> {
  if (file.size > mostBytes) {
    const text = `Not taken: ${file.name} has ${bytes(file.size)}, and is hardly a program.`;
    return tell({ text, isFault: true });
  }
  try {
    changeDraft({ program: await file.text() });
  } catch (error) {
    tell({ text: `Not taken: ${file.name}. ${sentenceOf(error)}`, isFault: true });
  }
}

export function ProgramPanel({ fault }: { readonly fault: Fault | null }) {
  return (
    <Panel
      title="Program"
      note="JavaScript: its default export is done for each input"
      span={7}
      class="submit-program"
      actions={
        <FileButton
          label="Open a file"
          accept=".js,.mjs"
          onFile={(file) => void takeProgram(file)}
        />
      }
    >
      <div class="stack">
        <CodeBox
          label="Program"
          value={draft.value.program}
          placeholder={'export default function (input) {\n  return input * input;\n}'}
          line={fault?.line ?? null}
          onInput={(program) => changeDraft({ program })}
          onFile={(file) => void takeProgram(file)}
        />
        <FaultLine fault={fault} />
      </div>
    </Panel>
  );
}

export function FaultLine({ fault }: { readonly fault: Fault | null }) {
  return (
    <p class="bad submit-fault" role="alert">
      {fault?.sentence}
    </p>
  );
}
