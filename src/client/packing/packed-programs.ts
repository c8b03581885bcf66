// What was made of programs that are nothing but their own text: who runs one of them for many jobs has it parsed and
// checked once.

import type { AnyFunction } from './function-source.ts';

const MOST_TEXTS = 8;
const MOST_CHARACTERS = 64 * 1024;

export class PackedPrograms {
  readonly #ofFunctions = new WeakMap<AnyFunction, string>();
  readonly #ofTexts = new Map<string, string>();

  find(program: AnyFunction | string): string | undefined {
    return typeof program === 'string'
      ? this.#ofTexts.get(program)
      : this.#ofFunctions.get(program);
  }

  keep(program: AnyFunction | string, module: string): void {
    if (typeof program !== 'string') {
      this.#ofFunctions.set(program, module);
      return;
    }
    if (program.length > MOST_CHARACTERS) return;
    // The oldest is the first.
    const [oldest] = this.#ofTexts.keys();
    if (oldest !== undefined && this.#ofTexts.size >= MOST_TEXTS) this.#ofTexts.delete(oldest);
    this.#ofTexts.set(program, module);
  }
}
