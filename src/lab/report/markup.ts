// Text of a page in which whatever comes from outside stays text. Only `markup` makes markup, and all that is put into
// it is escaped, but for what `markup` made.

/** Markup that is whole and safe. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = Markup | string | number | null | readonly Piece[];

export const nothing = new Markup('');

/** A template of markup. Strings are escaped, also in attributes, which are in double quotes. */
export function markup(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = parts[0]!;
  pieces.forEach((piece, i) => {
    text += textOf(piece) + parts[i + 1]!;
  });
  return new Markup(text);
}

function textOf(piece: Piece): string {
  if (piece === null) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(textOf).join('');
  return escaped(visible(String(piece)));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign]!);
}

/**
 * What has no shape is shown by its number, as JSON writes it: a sign that turns the order of letters around would
 * make a text look like another. Line feeds stay.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu, (sign) =>
    sign === '\n' ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A name that comes from outside: letters that are written from the right order nothing beside them. */
export function name(text: string): Markup {
  return markup`<bdi>${text}</bdi>`;
}

/** A name that may go on in a next line after `_` and `-`. */
export function breakable(text: string): Markup {
  const parts = text.split(/(?<=[_-])/);
  return markup`<bdi>${parts.map((part, i) => (i === 0 ? part : markup`<wbr>${part}`))}</bdi>`;
}

/** A sentence in which such names occur. */
export function sentence(text: string, names: readonly string[]): Markup {
  const foreign = names.filter((each) => each !== '' && /[^ -~]/.test(each));
  // No figure is parted from its unit, nor from its other digits.
  let pieces: readonly Piece[] = [text.replace(/(\d) (?=\d{3}|%|s\b|J\b|tasks)/g, '$1\u00a0')];
  for (const each of foreign.sort((a, b) => b.length - a.length)) {
    pieces = pieces.flatMap((piece) =>
      typeof piece === 'string' ? isolated(piece, each) : [piece],
    );
  }
  return markup`${pieces}`;
}

function isolated(text: string, foreign: string): readonly Piece[] {
  return text.split(foreign).flatMap((part, i) => (i === 0 ? [part] : [name(foreign), part]));
}

/** At most so many letters; what is left out is told by a sign. */
export function cut(text: string, most: number): string {
  const letters = Array.from(visible(text));
  return letters.length <= most ? letters.join('') : `${letters.slice(0, most - 1).join('')}…`;
}
