// A page on top of the page: settings, what runs, a question. Focus goes into it and back to where it was.

import { element } from './element.ts';

export interface Sheet {
  readonly dialog: HTMLDialogElement;
  readonly close: () => void;
}

/** `end`: its last line, in reach of the thumb; a button that closes it when there is nothing else. */
export function openSheet(title: string, body: readonly Node[], end?: readonly Node[]): Sheet {
  const heading = element('h2', { id: 'sheet-title', tabindex: -1 }, title);
  const dialog = element('dialog', { class: 'sheet', 'aria-labelledby': 'sheet-title' });
  const done = element('button', { class: 'main', type: 'button' }, 'Done');
  const close = () => dialog.close();
  done.addEventListener('click', close);
  dialog.append(
    element(
      'div',
      { class: 'inside' },
      heading,
      ...body,
      element('div', { class: 'deeds' }, ...(end ?? [done])),
    ),
  );
  dialog.addEventListener('click', ({ target }) => {
    // Beside the sheet, on what lies behind it.
    if (target === dialog) close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  heading.focus();
  return { dialog, close };
}

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly no: string;
}

/** Whether the person says yes; the focus begins on the answer that loses nothing. */
export function ask({ title, text, yes, no }: Question): Promise<boolean> {
  const [yesButton, noButton] = [
    element('button', { class: 'main quiet', type: 'button' }, yes),
    element('button', { class: 'main', type: 'button' }, no),
  ];
  const { dialog, close } = openSheet(title, [element('p', {}, text)], [noButton, yesButton]);
  noButton.focus();
  return new Promise((resolve) => {
    yesButton.addEventListener('click', () => {
      resolve(true);
      close();
    });
    noButton.addEventListener('click', close);
    dialog.addEventListener('close', () => resolve(false));
  });
}
