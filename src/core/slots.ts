// Numbers for what runs on a worker at the same time, so that a picture of it has a row for each. Giving one
// out costs a look at a word or two, however many attempts wait at the worker.

const numbersInWord = 31;
const fullWord = 2 ** numbersInWord - 1;

export class SlotNumbers {
  /** A bit for each number that is taken. */
  readonly #words: number[] = [];
  #taken = 0;

  /** How many are given out. */
  get taken(): number {
    return this.#taken;
  }

  /** Gives out the smallest number that is free. */
  take(): number {
    let place = 0;
    while (this.#words[place] === fullWord) place++;
    const word = this.#words[place] ?? 0;
    let bit = 0;
    while ((word & (1 << bit)) !== 0) bit++;
    this.#words[place] = word | (1 << bit);
    this.#taken++;
    return place * numbersInWord + bit;
  }

  release(slot: number): void {
    const place = Math.floor(slot / numbersInWord);
    this.#taken--;
    this.#words[place]! &= ~(1 << (slot % numbersInWord));
  }
}
