// An input, a result, or what was printed.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-line.tsx';
import { Panel } from '../../parts/panel.tsx';
import { bytes } from '../../text/numbers.ts';
import { folded } from './payload.ts';

interface PayloadPanelProps {
  readonly title: string;
  readonly text: string;
  /** What is copied, as `the input`. */
  readonly label: string;
  readonly note?: ComponentChildren;
  readonly span?: 6 | 12;
}

export function PayloadPanel({ title, text, label, note, span = 6 }: PayloadPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = folded(text, isOpen);
  return (
    <Panel
      title={title}
      span={span}
      note={note ?? bytes(shown.bytes)}
      actions={<CopyButton text={text} label={label} />}
    >
      <pre class="task-payload" tabIndex={0} aria-label={title}>
        {shown.text}
        {shown.isFolded ? '…' : ''}
      </pre>
      {shown.isFolded ? (
        <p class="row">
          <Button isSmall onPress={() => setOpen(true)}>{`Show all ${bytes(shown.bytes)}`}</Button>
        </p>
      ) : null}
    </Panel>
  );
}
