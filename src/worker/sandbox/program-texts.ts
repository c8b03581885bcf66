// The texts of programs inside a child, by their hash. Jobs with the same program share its text and its
// prepared form, which is text too. All objects that a job could reach are made anew for each job.

import { type ScriptForm, toScriptForm } from './module-form.ts';

export class ProgramText {
  readonly sha256: string | null;
  #source: string;
  #form: ScriptForm | null = null;

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
