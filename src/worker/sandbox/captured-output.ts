// What an attempt prints: its beginning and its end, with a line between them that counts what is missing.
// The child keeps what it has not told yet in one, the agent puts the pieces together in another.

export class CapturedOutput {
  readonly #half: number;
  #head = '';
  #tail = '';
  #missing = 0;

  /** `limit`: characters, of which the beginning and the end have one half each. */
  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  get isEmpty(): boolean {
    return this.#head === '' && this.#tail === '';
  }

  add(text: string): void {
    const room = this.#tail === '' ? this.#half - this.#head.length : 0;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Cut in big steps: a line at a time would copy the whole end for each.
    if (this.#tail.length > 2 * this.#half) this.#cut();
  }

  text(): string {
    if (this.#tail.length > this.#half) this.#cut();
    if (this.#missing === 0) return this.#head + this.#tail;
    const breaks = this.#head.endsWith('\n') ? '' : '\n';
    return `${this.#head}${breaks}… ${this.#missing} characters are left out here …\n${this.#tail}`;
  }

  /** Returns the text and begins anew. */
  take(): string {
    const text = this.text();
    this.#head = '';
    this.#tail = '';
    this.#missing = 0;
    return text;
  }

  #cut(): void {
    const over = this.#tail.length - this.#half;
    this.#missing += over;
    this.#tail = this.#tail.slice(over);
  }
}
