// Which of the devices that are here may run what is made, and what they could be asked for.

import type { JobRequirements } from '../../../../protocol/job-options.ts';
import type { Worker } from '../../store/cluster.ts';
import { meets } from '../../store/meets.ts';
import { grouped } from '../../text/numbers.ts';
import { requirementsInWords } from '../../text/requirements.ts';
import { compareNames, counted } from '../../text/words.ts';
import type { OptionTexts } from './options.ts';

export interface Fitting {
  /** Devices that are here, and those of them that may run it, with their slots. */
  readonly here: number;
  readonly fit: number;
  readonly slots: number;
  /** What none has, and what there is instead; null: some may run it, or none is here. */
  readonly why: string | null;
}

const mostNamed = 6;

export function fittingOf(workers: readonly Worker[], asked: JobRequirements | undefined): Fitting {
  const here = workers.filter(({ status }) => status === 'online' || status === 'busy');
  const fit = here.filter((worker) => meets(worker, asked));
  const slots = fit.reduce((sum, worker) => sum + worker.slots, 0);
  const isNone = here.length > 0 && fit.length === 0;
  return {
    here: here.length,
    fit: fit.length,
    slots,
    why: isNone ? whyNone(here, asked ?? {}) : null,
  };
}

/** `No device here has gpu=maybe. Labels here: site=lab (9), gpu=yes (1).` */
function whyNone(here: readonly Worker[], asked: JobRequirements): string {
  const what = `No device here has ${requirementsInWords(asked)}.`;
  if (asked.labels === undefined) return what;
  const labels = labelsOf(here);
  if (labels.length === 0) return `${what} None has a label.`;
  const named = labels.slice(0, mostNamed).map(([label, count]) => `${label} (${grouped(count)})`);
  const more = labels.length - named.length;
  return `${what} Labels here: ${named.join(', ')}${more > 0 ? ` and ${counted(more, 'other')}` : ''}.`;
}

/** Most frequent first. */
function labelsOf(workers: readonly Worker[]): readonly (readonly [string, number])[] {
  return countsOf(
    workers.flatMap(({ labels }) =>
      Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    ),
  );
}

function countsOf(all: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].toSorted(([a, n], [b, m]) => m - n || compareNames(a, b));
}

/** For a field that takes several with commas: what was begun last, made whole as devices have it. */
export function suggestionsFor(
  name: string,
  texts: OptionTexts,
  workers: readonly Worker[],
): readonly string[] {
  const known =
    name === 'needs.labels'
      ? labelsOf(workers)
      : name === 'needs.type'
        ? countsOf(workers.map(({ type }) => type))
        : name === 'needs.platform'
          ? countsOf(workers.map(({ platform }) => platform))
          : [];
  const whole = (texts[name] ?? '').split(',').slice(0, -1);
  const taken = new Set(whole.map((part) => part.trim()));
  const before = whole.map((part) => `${part.trim()}, `).join('');
  // A value with a comma would be read as two.
  return known.flatMap(([each]) =>
    taken.has(each) || each.includes(',') ? [] : [`${before}${each}`],
  );
}
