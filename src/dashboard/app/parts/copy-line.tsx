// A line of code that can be copied.

import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

const toldMs = 2_000;

export function CopyLine({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="copy-line">
      <code>
        {/* A line is not broken between `--` and its word. */}
        {text.split(/(?<= )/).map((word, place) => (
          <span key={place}>{word}</span>
        ))}
      </code>
      <CopyButton text={text} label={label} />
    </div>
  );
}

interface CopyButtonProps {
  /** A function: it is made when it is asked for. */
  readonly text: string | (() => string);
  /** What is copied, as `the command`. */
  readonly label: string;
  readonly words?: string;
}

export function CopyButton({ text, label, words = 'Copy' }: CopyButtonProps) {
  const [told, setTold] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setTold('Copied');
    } catch {
      // Over plain HTTP browsers do not let a page write there.
      setTold('Select it');
    }
    setTimeout(() => setTold(null), toldMs);
  };
  return (
    <Button
      isSmall
      label={words === 'Copy' ? `Copy ${label}` : `${words}: ${label}`}
      onPress={copy}
    >
      <span aria-live="polite">{told ?? words}</span>
    </Button>
  );
}
