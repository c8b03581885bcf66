// A dialog over the page: the browser's own, so that focus stays within and returns to where it was.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Buttons, the safe one first: it has the focus at the beginning. */
  readonly actions: ComponentChildren;
  readonly onClose: () => void;
}

export function Dialog({ title, children, actions, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current!;
    const before = document.activeElement;
    element.showModal();
    element.querySelector<HTMLElement>('input, textarea, .actions button')?.focus();
    return () => {
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="within">
        <h2 id={heading}>{title}</h2>
        {children}
        <div class="actions">{actions}</div>
      </div>
    </dialog>
  );
}
