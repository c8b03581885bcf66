// The random numbers of a task: the same on every attempt and every device, because they depend on
// the seed text alone. sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, no known flaws.

/** The four words of the generator. A checkpoint saves them, so that the sequence goes on. */
export type RandomState = readonly [number, number, number, number];

export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(state: RandomState) {
    [this.#a, this.#b, this.#c, this.#counter] = state;
  }

  static fromText(seed: string): SeededRandom {
    const random = new SeededRandom([...hashText(seed), 1]);
    for (let i = 0; i < 12; i++) random.next();
    return random;
  }

  /** 0 inclusive to 1 exclusive, with 53 bits like `Math.random`. */
  next(): number {
    const high = this.#word() >>> 5;
    const low = this.#word() >>> 6;
    return (high * 0x4000000 + low) / 0x20000000000000;
  }

  state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#counter];
  }

  #word(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result;
  }
}

/** Three words from a text: FNV-1a over its UTF-16 units with three bases, finished as in murmur3. */
function hashText(text: string): [number, number, number] {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  let c = 0x1b873593;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
    c = Math.imul(c ^ unit, 0xc2b2ae35);
  }
  return [finish(a), finish(b ^ a), finish(c ^ b)];
}

function finish(word: number): number {
  let h = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}
