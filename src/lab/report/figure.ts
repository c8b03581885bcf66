// A figure of a report: a number and a title, the plot, what its marks mean, and the table behind it.

import { markup, type Markup } from './markup.ts';

export interface Figure {
  readonly number: number;
  readonly title: Markup;
  readonly plot: Markup;
  readonly words: Markup;
  readonly table: FoldedTable;
}

export interface FoldedTable {
  readonly summary: string;
  readonly content: Markup;
}

export function figureMarkup({ number, title, plot, words, table }: Figure): Markup {
  return markup`<figure><h3>Figure ${number}. ${title}</h3>${plot}<figcaption>${words}</figcaption></figure>
${folded(table)}`;
}

/** The name of a table behind a figure: no two parts of a page are called the same. */
export function behind(figure: number): string {
  return `Table behind figure ${figure}`;
}

export function folded({ summary, content }: FoldedTable): Markup {
  return markup`<details><summary>${summary}</summary>${content}</details>
`;
}

/** A table that may be wider than the page: it scrolls by itself, with the keyboard too. */
export function scrolling(label: string, table: Markup): Markup {
  return markup`<div class="wide-table" role="region" aria-label="${label}" tabindex="0">${table}</div>`;
}
