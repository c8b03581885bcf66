// A part of a page with its heading. What it shows is read by itself: bones while it comes, a sentence and a
// button when it fails.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Button } from './button.tsx';

interface PanelProps {
  readonly title: ComponentChildren;
  /** Beside the title: what it counts, of which time. */
  readonly note?: ComponentChildren;
  /** At the end of the head. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Columns of twelve that it takes. */
  readonly span?: 3 | 4 | 5 | 6 | 7 | 8 | 9 | 12;
  /** Tables reach its edges. */
  readonly isFlush?: boolean;
  readonly id?: string;
  readonly class?: string;
}

export function Panel(props: PanelProps) {
  const {
    title,
    note,
    actions,
    children,
    span = 12,
    isFlush = false,
    id,
    class: more = '',
  } = props;
  const heading = useId();
  return (
    <section class={`panel span-${span} ${more}`} aria-labelledby={heading} id={id}>
      <header>
        <h2 id={heading}>{title}</h2>
        {note === undefined ? null : <span class="note">{note}</span>}
        {actions === undefined ? null : <span class="end">{actions}</span>}
      </header>
      <div class={isFlush ? 'flush' : 'body'}>{children}</div>
    </section>
  );
}

interface PartOfPageProps<T> {
  readonly part: {
    readonly value: T | null;
    readonly error: unknown;
    readonly again: () => void;
  };
  /** What it is, for the sentence that says that it cannot be shown: `the failures`. */
  readonly what: string;
  readonly sentenceOf: (error: unknown) => string;
  /** Lines of bones while it comes. */
  readonly lines?: number;
  readonly children: (value: T) => ComponentChildren;
}

/** What was read, or why it cannot be shown. What was read before stays when a later try fails. */
export function PartOfPage<T>({ part, what, sentenceOf, lines = 3, children }: PartOfPageProps<T>) {
  if (part.value !== null) return <>{children(part.value)}</>;
  if (part.error === null) return <Bones lines={lines} />;
  return (
    <div class="fault" role="alert">
      <p>{`Not shown: ${what}. ${sentenceOf(part.error)}`}</p>
      <Button isSmall onPress={part.again}>
        Try again
      </Button>
    </div>
  );
}

const bonesAfterMs = 300;

/** Nothing at first: what comes at once does not flash. */
export function Bones({ lines = 3 }: { readonly lines?: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), bonesAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="bones" aria-busy="true">
      {Array.from({ length: lines }, (_, line) => (
        <i key={line} class={isLate ? 'seen' : ''} />
      ))}
      {isLate ? <span class="unseen">Loading</span> : null}
    </div>
  );
}

interface EmptyProps {
  readonly children: ComponentChildren;
  /** What to do next. */
  readonly actions?: ComponentChildren;
}

/** Nothing is there, and what to do next. */
export function Empty({ children, actions }: EmptyProps) {
  return (
    <div class="empty">
      <p>{children}</p>
      {actions === undefined ? null : <div class="row">{actions}</div>}
    </div>
  );
}
