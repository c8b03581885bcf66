// A row with a switch, as before the begin and in the settings; with what this browser cannot keep beside it.

import { element } from './element.ts';

export interface SwitchRow {
  readonly row: HTMLLabelElement;
  readonly input: HTMLInputElement;
}

let made = 0;

export function switchRow(
  label: string,
  isOn: boolean,
  caveat: string,
  changed: (isOn: boolean) => void,
): SwitchRow {
  const input = element('input', { type: 'checkbox', role: 'switch' });
  input.checked = isOn;
  input.addEventListener('change', () => changed(input.checked));
  return { row: labelled(label, input, caveat), input };
}

/** A label, a word of caution under it if there is one, and at its end what it is about. */
export function labelled(label: string, control: HTMLElement, caveat = ''): HTMLLabelElement {
  const words = element('span', {}, label);
  if (caveat !== '') {
    const small = element('small', { id: `caveat-${++made}` }, caveat);
    control.setAttribute('aria-describedby', small.id);
    control.setAttribute('aria-label', label);
    words.append(small);
  }
  return element('label', { class: 'row' }, words, control);
}
