// Changes to a source, collected in any order and made at once. No line changes its number.

/** A text, or a function of the added name, which is chosen when the whole source is known. */
export type EditText = string | ((ownName: string) => string);

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: EditText;
}

const notLineEnds = /[^\n\r\u2028\u2029]+/g;

export class SourceEdits {
  readonly #source: string;
  readonly #edits: Edit[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  /**
   * Replaces a range; its line ends stay, after the text. Other edits inside of the range are
   * ignored.
   */
  replace(start: number, end: number, text: EditText): void {
    this.#edits.push({ start, end, text });
  }

  insert(at: number, text: EditText): void {
    this.#edits.push({ start: at, end: at, text });
  }

  apply(ownName: string): string {
    // The sort is stable: insertions at one place keep the order in which they were asked for.
    const ordered = this.#edits.toSorted((a, b) => a.start - b.start);
    const parts: string[] = [];
    let at = 0;
    for (const { start, end, text } of ordered) {
      if (start < at) continue;
      parts.push(this.#source.slice(at, start));
      parts.push(typeof text === 'string' ? text : text(ownName));
      parts.push(this.#source.slice(start, end).replace(notLineEnds, ''));
      at = end;
    }
    parts.push(this.#source.slice(at));
    return parts.join('');
  }
}
