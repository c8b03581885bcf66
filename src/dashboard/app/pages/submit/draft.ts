// What is being made: it stays while other pages are looked at.

import { computed, effect, signal } from '@preact/signals';
import { fileNameOf } from '../../parts/save.ts';
import { keepOverNewBuild, takeKept } from '../../shell/new-build.ts';
import { isSomebodyElse, type Session, session } from '../../store/session.ts';
import type { Example } from './examples.ts';
import { formatOf, type InputFormat } from './input-format.ts';
import type { OptionTexts } from './options.ts';
import type { Reading } from './understood.ts';

export interface Draft {
  readonly program: string;
  /** Inputs that were typed or pasted. */
  readonly text: string;
  /** Inputs of a file, instead of a text; it may be of any size, and is not shown. */
  readonly file: File | null;
  /** By which a form is told. */
  readonly beginning: string;
  /** Null: told by the inputs. */
  readonly chosen: InputFormat | null;
  /** Of a range. */
  readonly start: string;
  readonly count: string;
  readonly options: OptionTexts;
  /** The job that it was taken from, or null. */
  readonly origin: Origin | null;
}

export interface Origin {
  readonly id: string;
  readonly name: string;
  /** What of it could not be taken along, in sentences; empty: all was. */
  readonly lacks: string;
}

const beginningCharacters = 65_536;
/** Inputs that are longer are a file, and not put into the page. */
const mostTyped = 65_536;

const empty: Draft = {
  program: '',
  text: '',
  file: null,
  beginning: '',
  chosen: null,
  start: '',
  count: '',
  options: {},
  origin: null,
};

export const draft = signal<Draft>(empty);
/** What is understood of its inputs; null before that, and where there are none yet. */
export const reading = signal<Reading | null>(null);

export const format = computed<InputFormat>(() => {
  const { chosen, file, beginning } = draft.value;
  return chosen ?? formatOf(file?.name ?? null, beginning);
});

/** The inputs, but those of a range; null where there are none. */
export const source = computed<Blob | null>(() => {
  const { text, file } = draft.value;
  if (format.value === 'range') return null;
  return file ?? (text.trim() === '' ? null : new Blob([text]));
});

export function changeDraft(changes: Partial<Draft>): void {
  draft.value = { ...draft.value, ...changes };
}

export function typeInputs(text: string): void {
  const chosen = draft.value.chosen === 'range' ? null : draft.value.chosen;
  changeDraft({ text, file: null, beginning: text.slice(0, beginningCharacters), chosen });
}

export async function takeFile(file: File): Promise<void> {
  const beginning = await file.slice(0, beginningCharacters).text();
  changeDraft({ file, text: '', beginning, chosen: null });
}

export function takeExample({ program, format: form, inputs = '', ...rest }: Example): void {
  const { start = '', count = '', options } = rest;
  const chosen = form === 'range' ? form : null;
  draft.value = {
    ...empty,
    program,
    chosen,
    text: inputs,
    beginning: inputs,
    start,
    count,
    options,
  };
}

/** `inputs`: a JSON value on each line. */
export function takeJob(
  taken: Pick<Draft, 'program' | 'options'> & { readonly origin: Origin },
  inputs: readonly string[],
): void {
  const size = inputs.reduce((sum, line) => sum + line.length, 0);
  const isTyped = size <= mostTyped;
  const file = isTyped ? null : new File([...inputs], `${fileNameOf(taken.origin.name)}.ndjson`);
  const text = isTyped ? inputs.join('') : '';
  draft.value = { ...empty, ...taken, text, file, chosen: inputs.length === 0 ? null : 'ndjson' };
}

export const isBlank = computed(() => {
  const { program, text, file, count } = draft.value;
  return program.trim() === '' && text === '' && file === null && count === '';
});

interface Kept {
  readonly by: Session;
  readonly draft: Draft;
}

/** Who makes it. */
let by: Session | null = null;

effect(() => {
  const who = session.value;
  if (who === null) return;
  if (by === null) restore(who);
  else if (isSomebodyElse(by, who)) draft.value = empty;
  by = who;
});

keepOverNewBuild(() => {
  if (by === null || isBlank.value) return null;
  if (draft.value.file !== null) throw new Error('A file is not kept.');
  return JSON.stringify({ by, draft: draft.value } satisfies Kept);
});

/** The page has begun anew since. */
function restore(who: Session): void {
  const kept = takeKept();
  if (kept === null) return;
  const { by: maker, draft: made } = JSON.parse(kept) as Kept;
  if (!isSomebodyElse(maker, who)) draft.value = { ...empty, ...made };
}
