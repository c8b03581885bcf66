// Rows of rules, as before the begin and in the settings; with what this browser cannot keep beside each.

import type { OwnerRules, Withheld } from '../../worker/browser/page-messages.ts';
import { element } from './element.ts';
import { ruleCaveat } from './notes.ts';

/** The two rules that are asked about first. */
export function firstRules(
  rules: OwnerRules,
  withheld: readonly Withheld[],
  change: (part: Partial<OwnerRules>) => void,
): readonly [charging: HTMLElement, unmetered: HTMLElement] {
  return [
    switchRow(
      'Only while charging',
      rules.onlyCharging,
      (onlyCharging) => change({ onlyCharging }),
      ruleCaveat('charging', withheld),
    ),
    switchRow(
      'Only on Wi-Fi',
      rules.onlyUnmetered,
      (onlyUnmetered) => change({ onlyUnmetered }),
      ruleCaveat('metered', withheld),
    ),
  ];
}

let made = 0;

export function switchRow(
  label: string,
  isOn: boolean,
  changed: (isOn: boolean) => void,
  caveat = '',
): HTMLElement {
  const input = element('input', { type: 'checkbox', role: 'switch' });
  input.checked = isOn;
  // What cannot be kept can be switched off only.
  input.disabled = caveat !== '' && !isOn;
  input.addEventListener('change', () => changed(input.checked));
  return labelled(label, input, caveat);
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
