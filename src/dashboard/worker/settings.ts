// The owner's rules, as a sheet. Each change holds at once; nothing has to be saved.

import type { OwnerRules, Withheld } from '../../worker/browser/page-messages.ts';
import { element } from './element.ts';
import { ruleCaveat } from './notes.ts';
import { firstRules, labelled, switchRow } from './rules-form.ts';
import { openSheet } from './sheet.ts';
import type { DeviceNoun } from './device.ts';
import { batteryLevel, clockTime, minutesOf } from './wording.ts';

export interface SettingsOptions {
  readonly rules: OwnerRules;
  readonly slotsMax: number;
  readonly withheld: readonly Withheld[];
  readonly noun: DeviceNoun;
  /** Name and address of who asks. */
  readonly asks: readonly [name: string, host: string];
  readonly changed: (rules: OwnerRules) => void;
  readonly showWhatRuns: () => void;
  readonly forget: () => void;
}

const nights = { fromMinute: 22 * 60, toMinute: 7 * 60 };
const levels = [20, 30, 40, 50, 60, 70, 80, 90];
const nameLength = 64;

export function openSettings(options: SettingsOptions): void {
  const { withheld, noun, slotsMax, changed } = options;
  let { rules } = options;
  const change = (part: Partial<OwnerRules>): void => {
    rules = { ...rules, ...part };
    changed(rules);
  };
  const [charging, unmetered] = firstRules(rules, withheld, change);
  const battery = choice(
    [
      ['', 'Any level'],
      ...withPresent(levels, rules.minBatteryPercent).map(
        (level) => [String(level), `From ${batteryLevel(level)}`] as const,
      ),
    ],
    String(rules.minBatteryPercent ?? ''),
    (value) => change({ minBatteryPercent: value === '' ? null : Number(value) }),
  );
  const slots = choice(
    Array.from(
      { length: Math.max(slotsMax, rules.slots) },
      (_, i) => [String(i + 1), String(i + 1)] as const,
    ),
    String(rules.slots),
    (value) => change({ slots: Number(value) }),
  );
  const name = element('input', {
    type: 'text',
    maxlength: nameLength,
    autocomplete: 'off',
    placeholder: `This ${noun}`,
    dir: 'auto',
  });
  name.value = rules.name;
  name.addEventListener('change', () => change({ name: name.value.trim() }));

  const whatRuns = plainButton('What exactly runs here?', options.showWhatRuns);
  const sheet = openSheet('Settings', [
    rows(
      charging,
      labelled('Battery, unplugged', battery, ruleCaveat('battery', withheld)),
      unmetered,
      ...hoursRows(rules, change),
    ),
    rows(labelled('Tasks at a time', slots), labelled('Name in the list', name)),
    element(
      'p',
      { class: 'from' },
      'Asked by ',
      element('bdi', {}, options.asks[0]),
      ...(options.asks[0] === options.asks[1]
        ? []
        : [', at ', element('bdi', {}, options.asks[1])]),
      '. ',
      whatRuns,
    ),
    plainButton('Forget this device…', () => {
      sheet.close();
      options.forget();
    }),
  ]);
}

function hoursRows(
  rules: OwnerRules,
  change: (part: Partial<OwnerRules>) => void,
): readonly HTMLElement[] {
  let hours = rules.hours ?? nights;
  const [from, to] = [timeField(hours.fromMinute), timeField(hours.toMinute)];
  const both = element(
    'div',
    { class: 'row hours' },
    element('label', {}, 'from ', from),
    element('label', {}, 'to ', to),
  );
  both.hidden = rules.hours === null;
  const changed = (): void => {
    hours = {
      fromMinute: minutesOf(from.value) ?? hours.fromMinute,
      toMinute: minutesOf(to.value) ?? hours.toMinute,
    };
    change({ hours });
  };
  from.addEventListener('change', changed);
  to.addEventListener('change', changed);
  const row = switchRow('Only at certain hours', rules.hours !== null, (isOn) => {
    both.hidden = !isOn;
    change({ hours: isOn ? hours : null });
  });
  return [row, both];
}

function rows(...children: readonly HTMLElement[]): HTMLElement {
  return element('div', { class: 'rules' }, ...children);
}

function timeField(minutes: number): HTMLInputElement {
  const field = element('input', { type: 'time', required: true });
  field.value = clockTime(minutes);
  return field;
}

function choice(
  entries: readonly (readonly [value: string, text: string])[],
  chosen: string,
  changed: (value: string) => void,
): HTMLSelectElement {
  const select = element(
    'select',
    {},
    ...entries.map(([value, text]) => element('option', { value }, text)),
  );
  select.value = chosen;
  select.addEventListener('change', () => changed(select.value));
  return select;
}

function withPresent(all: readonly number[], present: number | null): readonly number[] {
  if (present === null || all.includes(present)) return all;
  return [...all, present].sort((one, other) => one - other);
}

function plainButton(text: string, pressed: () => void): HTMLButtonElement {
  const button = element('button', { class: 'plain', type: 'button' }, text);
  button.addEventListener('click', pressed);
  return button;
}
