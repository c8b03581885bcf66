// A line of code that can be copied.

import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

const toldMs = 2_000;

export function CopyLine({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="copy-line">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** `label`: what is copied, as `the command`. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [told, setTold] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setTold('Copied');
    } catch {
      // Over plain HTTP browsers do not let a page write there.
      setTold('Select it');
    }
    setTimeout(() => setTold(null), toldMs);
  };
  return (
    <Button isSmall label={`Copy ${label}`} onPress={copy}>
      <span aria-live="polite">{told ?? 'Copy'}</span>
    </Button>
  );
}
