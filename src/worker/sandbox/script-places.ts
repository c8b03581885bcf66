// Finds where a place of the script that was evaluated stands in the module that was submitted. Lines keep
// their numbers, so only columns differ: by what stands before the module on its first line, and by
// what was written differently before the place on its own line.

import type { ScriptForm } from './module-form.ts';
import type { Place } from './stack-text.ts';

const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;

export class ScriptPlaces {
  readonly #form: Pick<ScriptForm, 'body' | 'shifts'>;
  readonly #startLength: number;
  /** Where each line of the body begins; made when the first place is asked for. */
  #lines: readonly number[] | null = null;

  constructor(form: Pick<ScriptForm, 'body' | 'shifts'>, startLength: number) {
    this.#form = form;
    this.#startLength = startLength;
  }

  toOriginal({ line, column }: Place): Place {
    this.#lines ??= lineStarts(this.#form.body);
    const lineAt = this.#lines[line - 1];
    if (lineAt === undefined) return { line, column };
    const inBody = line === 1 ? column - this.#startLength : column;
    const at = lineAt + inBody - 1;
    let shifted = 0;
    for (const shift of this.#form.shifts) {
      if (shift.at > lineAt && shift.at <= at) shifted += shift.by;
    }
    return { line, column: Math.max(1, inBody - shifted) };
  }
}

function lineStarts(body: string): readonly number[] {
  const starts = [0];
  for (const { index, 0: text } of body.matchAll(lineEnd)) starts.push(index + text.length);
  return starts;
}
