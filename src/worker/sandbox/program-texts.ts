// The texts of programs inside a child, by their hash. Jobs with the same program share its text and its
// prepared form, which is text too. All objects that a job could reach are made anew for each job. The engine
// knows the script by its text as well, and compiles it once for as long as it is in use.

import { lazyNames } from './lazy-globals.ts';
import { type ScriptForm, scriptOf, scriptStart, toScriptForm } from './module-form.ts';
import { ScriptPlaces } from './script-places.ts';
import type { Place } from './stack-text.ts';

export class ProgramText {
  readonly sha256: string | null;
  #source: string;
  #form: ScriptForm | null = null;
  #script: string | null = null;
  #places: ScriptPlaces | null = null;

  constructor(source: string, sha256: string | null = null) {
    this.#source = source;
    this.sha256 = sha256;
  }

  /**
   * Throws `ProgramInvalid`. It tries again each time: whether the nesting is too deep depends on
   * the stack.
   */
  form(): ScriptForm {
    if (this.#form === null) {
      this.#form = toScriptForm(this.#source);
      this.#source = '';
    }
    return this.#form;
  }

  /**
   * What a compartment with these globals evaluates; they are the same for all jobs. Handing a lazy global in
   * makes it: so that is done only if the body may speak of it.
   */
  script(globals: readonly string[]): string {
    if (this.#script === null) {
      const form = this.form();
      const unused = new Set(lazyNames.filter((name) => !form.body.includes(name)));
      const names = globals.filter((name) => !unused.has(name));
      const { length } = scriptStart(form.hiddenName, names);
      this.#script = scriptOf(form, names);
      // The script holds the body: it is not kept twice.
      const body = this.#script.slice(length, length + form.body.length);
      this.#form = { ...form, body };
      this.#places = new ScriptPlaces(this.#form, length);
    }
    return this.#script;
  }

  /** Where a place of the script stands in the program. */
  toOriginal(place: Place): Place {
    return this.#places?.toOriginal(place) ?? place;
  }
}

/** A text stays for as long as a job has it; the agent counts the same way (`slots/child-programs.ts`). */
export class ProgramTexts {
  readonly #shared = new Map<string, { readonly text: ProgramText; jobs: number }>();

  /** `source` is null when the agent knows that the text is here. Returns undefined when it is not. */
  take(sha256: string | null, source: string | null): ProgramText | undefined {
    if (sha256 === null) return source === null ? undefined : new ProgramText(source);
    let shared = this.#shared.get(sha256);
    if (shared === undefined) {
      if (source === null) return undefined;
      shared = { text: new ProgramText(source, sha256), jobs: 0 };
      this.#shared.set(sha256, shared);
    }
    shared.jobs += 1;
    return shared.text;
  }

  letGo({ sha256 }: ProgramText): void {
    const shared = sha256 === null ? undefined : this.#shared.get(sha256);
    if (sha256 !== null && shared !== undefined && --shared.jobs === 0) {
      this.#shared.delete(sha256);
    }
  }
}
