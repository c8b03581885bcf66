// A plot with a row for each contender: names at the left, marks on a common axis, a note at the right. It is drawn twice,
// for wide and for narrow places, so that its letters keep their size; the style shows one of them.

import { cut, markup, type Markup, nothing } from './markup.ts';
import { type Scale, scaleOf, type Tick } from './scale.ts';
import type { Standing } from './standing.ts';

export interface Plot {
  /** Of the page's elements: lower case, no spaces. */
  readonly id: string;
  readonly title: string;
  /** What is seen in it, for those who do not see it. */
  readonly description: string;
  readonly rows: readonly PlotRow[];
  /** What the notes of the rows are. */
  readonly noteHead: string;
  /** All that the axis must hold. */
  readonly values: readonly number[];
  /** What is on the axis, with its unit. */
  readonly axis: string;
  readonly lines: readonly PlotLine[];
  /** Pixels of a row for its marks. */
  readonly rowHeight: number;
}

export interface PlotRow {
  readonly name: string;
  readonly standing: Standing;
  /** The figures behind the marks. */
  readonly note: string;
  /** Around the middle of the row. */
  readonly marks: (scale: Scale, middle: number) => Markup;
}

/** A value that concerns all rows. */
export interface PlotLine {
  readonly value: number;
  readonly label: string;
  readonly kind: 'bound' | 'longest-first' | 'zero';
}

interface Form {
  readonly kind: 'wide' | 'narrow';
  readonly width: number;
  readonly nameLetters: number;
  readonly left: number;
  readonly right: number;
  /** Pixels above the marks of a row, where its name stands when there is no room at its left. */
  readonly above: number;
  readonly spaces: number;
}

const wideLetters = 22;
const letterPx = 6.9;
const tickLetterPx = 7;
const lineLabelPx = 17;

/** Pixels as they are written: tenths are enough. */
export function px(value: number): string {
  return String(Number(value.toFixed(1)));
}

/** Where the label of a tick has its middle: under the tick, but within the picture. */
export function tickLabelAt(scale: Scale, { value, label }: Tick, width: number): string {
  const half = (label.length * tickLetterPx) / 2;
  return px(Math.max(half, Math.min(width - half, scale.at(value))));
}

export function plotMarkup(plot: Plot): Markup {
  const letters = Math.max(...plot.rows.map(({ name }) => cut(name, wideLetters).length));
  const notes = Math.max(plot.noteHead.length, ...plot.rows.map(({ note }) => note.length));
  const wide: Form = {
    kind: 'wide',
    width: 760,
    nameLetters: wideLetters,
    left: Math.ceil(letters * letterPx) + 14,
    right: Math.ceil(notes * letterPx) + 14,
    above: 0,
    spaces: 6,
  };
  const narrow: Form = {
    kind: 'narrow',
    width: 350,
    nameLetters: 20,
    left: 16,
    right: 16,
    above: 17,
    spaces: 4,
  };
  return markup`${drawn(plot, wide)}${drawn(plot, narrow)}`;
}

function drawn(plot: Plot, form: Form): Markup {
  const { width, left, right, above } = form;
  const scale = scaleOf(plot.values, { from: left, to: width - right, spaces: form.spaces });
  // On narrow places the head of the notes has a line for itself.
  const headLines = form.kind === 'narrow' && plot.lines.length > 0 ? 1 : 0;
  const top = Math.max(1, headLines + plot.lines.length) * lineLabelPx + 6;
  const room = form.kind === 'narrow' ? width - 4 : width - right;
  const rowHeight = plot.rowHeight + above;
  const bottom = top + plot.rows.length * rowHeight + 4;
  const height = bottom + 40;
  const id = `${plot.id}-${form.kind}`;
  return markup`<svg class="plot ${form.kind}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${plot.title}</title><desc id="${id}-d">${plot.description}</desc><text class="note-head" x="${width - 2}" y="12" text-anchor="end">${plot.noteHead}</text>${axis(scale, plot.axis, { top, bottom, width })}${plot.lines.map(
    (line, i) => lineMarkup(line, { scale, y: 12 + (headLines + i) * lineLabelPx, bottom, room }),
  )}${plot.rows.map((row, i) => rowMarkup(row, { scale, form, y: top + i * rowHeight, rowHeight }))}</svg>`;
}

function axis(
  scale: Scale,
  label: string,
  place: { readonly top: number; readonly bottom: number; readonly width: number },
): Markup {
  const { top, bottom, width } = place;
  const ends = [scale.at(scale.low), scale.at(scale.high)].map(px);
  return markup`${scale.ticks.map(
    (tick) =>
      markup`<line class="grid" x1="${px(scale.at(tick.value))}" x2="${px(scale.at(tick.value))}" y1="${top}" y2="${bottom}"/><text class="tick" x="${tickLabelAt(scale, tick, width)}" y="${bottom + 15}" text-anchor="middle">${tick.label}</text>`,
  )}<line class="axis" x1="${ends[0]!}" x2="${ends[1]!}" y1="${bottom}" y2="${bottom}"/><text class="axis-label" x="${px((scale.at(scale.low) + scale.at(scale.high)) / 2)}" y="${bottom + 33}" text-anchor="middle">${label}</text>`;
}

interface LinePlace {
  readonly scale: Scale;
  readonly y: number;
  readonly bottom: number;
  /** Where its label must end. */
  readonly room: number;
}

function lineMarkup({ value, label, kind }: PlotLine, { scale, y, bottom, room }: LinePlace) {
  const x = scale.at(value);
  const isLate = x + label.length * letterPx > room;
  return markup`<line class="${kind}" x1="${px(x)}" x2="${px(x)}" y1="${y - 9}" y2="${bottom}"/><text class="line-label" x="${px(isLate ? x - 5 : x + 5)}" y="${y}" text-anchor="${isLate ? 'end' : 'start'}">${label}</text>`;
}

interface RowPlace {
  readonly scale: Scale;
  readonly form: Form;
  readonly y: number;
  readonly rowHeight: number;
}

function rowMarkup(
  { name, standing, note, marks }: PlotRow,
  { scale, form, y, rowHeight }: RowPlace,
) {
  const middle = y + form.above + (rowHeight - form.above) / 2;
  const isWide = form.kind === 'wide';
  const text = isWide ? middle + 4 : y + 13;
  return markup`<g class="${standing}"><text class="name" x="2" y="${px(text)}">${cut(name, form.nameLetters)}</text><text class="note" x="${form.width - 2}" y="${px(text)}" text-anchor="end">${note}</text>${standing === 'none' ? nothing : marks(scale, middle)}</g>`;
}

/** The mean by its sign (best: a diamond, no difference: a ring, worse: a disc) with its interval. */
export function meanMark(
  scale: Scale,
  y: number,
  {
    mean,
    interval,
    standing,
  }: {
    readonly mean: number;
    /** Null: unknown. */
    readonly interval: readonly [number, number] | null;
    readonly standing: Standing;
  },
): Markup {
  const [low, high] = interval ?? [mean, mean];
  const [from, to, x] = [scale.at(low), scale.at(high), scale.at(mean)];
  const whisker =
    to - from < 0.05
      ? nothing
      : markup`<path class="whisker" d="M${px(from)} ${px(y)}H${px(to)}M${px(from)} ${px(y - 3.5)}v7M${px(to)} ${px(y - 3.5)}v7"/>`;
  const sign =
    standing === 'best'
      ? markup`<path class="mean" d="M${px(x)} ${px(y - 5.5)}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>`
      : markup`<circle class="mean" cx="${px(x)}" cy="${px(y)}" r="3.8"/>`;
  return markup`${whisker}${sign}`;
}
