// What is read out to people who do not see the page: a sentence that has stood for a moment, once. Tasks that
// come and go every second are not news.

export interface AnnouncerClock {
  setTimeout(run: () => void, ms: number): number;
  clearTimeout(id: number): void;
}

const standsMs = 2_000;

export class Announcer {
  readonly #say: (text: string) => void;
  readonly #clock: AnnouncerClock;
  #said = '';
  #next = '';
  #timer: number | null = null;

  constructor(say: (text: string) => void, clock: AnnouncerClock) {
    this.#say = say;
    this.#clock = clock;
  }

  show(text: string): void {
    if (text === this.#next) return;
    this.#next = text;
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = null;
      if (text === this.#said || text === '') return;
      this.#said = text;
      this.#say(text);
    }, standsMs);
  }
}
