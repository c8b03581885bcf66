// A text in lines with their numbers: typed, pasted or dropped as a file.

import { useEffect, useRef, useState } from 'preact/hooks';

interface CodeBoxProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  /** Something is wrong there. */
  readonly line: number | null;
  readonly onInput: (text: string) => void;
  readonly onFile: (file: File) => void;
}

const lineHeight = 18;

export function CodeBox({ label, value, placeholder, line, onInput, onFile }: CodeBoxProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [top, setTop] = useState(0);
  const [isOver, setOver] = useState(false);
  const count = value.split('\n').length;
  useEffect(() => {
    const { current } = area;
    if (line === null || current === null) return;
    const place = (line - 1) * lineHeight;
    const isSeen = place >= current.scrollTop && place < current.scrollTop + current.clientHeight;
    if (!isSeen) current.scrollTop = place - current.clientHeight / 2;
  }, [line]);
  const first = Math.floor(top / lineHeight);
  // Only what is in view is drawn: a text may have a million lines.
  const numbers = Array.from({ length: Math.min(80, count - first) }, (_, i) => first + i + 1);
  return (
    <div
      class={isOver ? 'submit-code over' : 'submit-code'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        const file = event.dataTransfer?.files[0];
        setOver(false);
        if (file === undefined) return;
        event.preventDefault();
        onFile(file);
      }}
    >
      <div class="gutter" aria-hidden="true">
        <div style={{ transform: `translateY(${first * lineHeight - top}px)` }}>
          {numbers.map((number) => (
            <span key={number} class={number === line ? 'bad' : ''}>
              {number}
            </span>
          ))}
        </div>
      </div>
      <textarea
        ref={area}
        aria-label={label}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        wrap="off"
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      />
    </div>
  );
}

/** Chooses a file of this machine: a button that looks like the others. */
export function FileButton({
  label,
  accept,
  onFile,
}: {
  readonly label: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}) {
  return (
    <label class="button small submit-file">
      {label}
      <input
        type="file"
        class="unseen"
        accept={accept}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
    </label>
  );
}
