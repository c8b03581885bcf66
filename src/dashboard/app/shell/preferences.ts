// What this browser keeps of whoever looks: theme, density, keys.

import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'automatic' | 'comfortable' | 'normal' | 'dense';

export const theme = signal<Theme>(kept('theme', ['system', 'light', 'dark']));
export const density = signal<Density>(
  kept('density', ['automatic', 'comfortable', 'normal', 'dense']),
);
export const hasKeys = signal(kept('keys', ['on', 'off']) === 'on');

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const isSchemeDark = signal(darkScheme.matches);
darkScheme.addEventListener('change', ({ matches }) => {
  isSchemeDark.value = matches;
});

/** Makes the document follow, and keeps what was chosen. */
export function followPreferences(): void {
  const { dataset } = document.documentElement;
  effect(() => {
    const isDark = theme.value === 'system' ? isSchemeDark.value : theme.value === 'dark';
    dataset['theme'] = isDark ? 'dark' : 'light';
    keep('theme', theme.value);
  });
  effect(() => {
    if (density.value === 'automatic') delete dataset['density'];
    else dataset['density'] = density.value;
    keep('density', density.value);
  });
  effect(() => keep('keys', hasKeys.value ? 'on' : 'off'));
}

function kept<const Value extends string>(name: string, values: readonly Value[]): Value {
  try {
    const value = localStorage.getItem(`muster.${name}`);
    return values.find((each) => each === value) ?? values[0]!;
  } catch {
    return values[0]!;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`muster.${name}`, value);
  } catch {
    // A browser that keeps nothing has it for as long as the page is open.
  }
}
