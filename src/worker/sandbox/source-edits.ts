// Changes to a source, collected in any order and made at once. No line changes its number.

/** A text, or a function of the added name, which is chosen when the whole source is known. */
export type EditText = string | ((ownName: string) => string);

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: EditText;
}

const notLineEnds = /[^\n\r\u2028\u2029]+/g;

/** Where the result is longer than the source, or shorter. */
export interface Shift {
  /** Offset in the result, behind what was written there. */
  readonly at: number;
  readonly by: number;
}

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

  apply(ownName: string): { readonly text: string; readonly shifts: readonly Shift[] } {
    // The sort is stable: insertions at one place keep the order in which they were asked for.
    const ordered = this.#edits.toSorted((a, b) => a.start - b.start);
    const parts: string[] = [];
    const shifts: Shift[] = [];
    let at = 0;
    let length = 0;
    for (const { start, end, text } of ordered) {
      if (start < at) continue;
      const written = typeof text === 'string' ? text : text(ownName);
      const lineEnds = this.#source.slice(start, end).replace(notLineEnds, '');
      parts.push(this.#source.slice(at, start), written, lineEnds);
      length += start - at + written.length + lineEnds.length;
      const by = written.length + lineEnds.length - (end - start);
      if (by !== 0) shifts.push({ at: length, by });
      at = end;
    }
    parts.push(this.#source.slice(at));
    return { text: parts.join(''), shifts };
  }
}
