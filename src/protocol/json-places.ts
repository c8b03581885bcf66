// Places in a JSON text whose values are cut out as they were sent, such as `results[*].value`. They
// are steps from the outermost value inwards, kept as a small tree that the scanner walks along.

/** A step: the key of an object, or every element of an array. */
export type Step = string | typeof everyElement;

/** The step into each element of an array. */
export const everyElement: unique symbol = Symbol('every element');

export interface PlaceToCut {
  readonly steps: readonly Step[];
  /**
   * `value`: whatever stands there is one payload.
   * `list`: if an array stands there, each of its elements is a payload; else nothing is cut.
   */
  readonly cut: 'value' | 'list';
}

export class Place {
  /** The place of the elements, if an array stands here. */
  element: Place | null = null;
  cut: PlaceToCut['cut'] | null = null;
  private readonly keys: { readonly key: string; readonly place: Place }[] = [];
  private longestKey = 0;

  static tree(places: readonly PlaceToCut[]): Place {
    const root = new Place();
    for (const { steps, cut } of places) {
      let place = root;
      for (const step of steps) place = place.made(step);
      place.cut = cut;
    }
    return root;
  }

  /** The place of the member with this key: the bytes between its quotes, perhaps with escapes. */
  member(bytes: Uint8Array, from: number, to: number): Place | null {
    for (const { key, place } of this.keys) {
      if (to - from === key.length && isSame(bytes, from, key)) return place;
    }
    // A character takes at most six bytes, as `\u0061`.
    const isEscapable = to - from <= 6 * this.longestKey;
    if (!isEscapable || !hasEscape(bytes, from, to)) return null;
    const given = decoded(bytes.subarray(from, to));
    return this.keys.find(({ key }) => key === given)?.place ?? null;
  }

  private made(step: Step): Place {
    if (step === everyElement) return (this.element ??= new Place());
    const found = this.keys.find(({ key }) => key === step);
    if (found !== undefined) return found.place;
    const place = new Place();
    this.keys.push({ key: step, place });
    this.longestKey = Math.max(this.longestKey, step.length);
    return place;
  }
}

const backslash = 0x5c;

/** Keys of places are ASCII: a byte is a character. */
function isSame(bytes: Uint8Array, from: number, key: string): boolean {
  for (let i = 0; i < key.length; i++) {
    if (bytes[from + i] !== key.charCodeAt(i)) return false;
  }
  return true;
}

/** Looked for byte by byte: keys are short and many, and a view of the bytes would cost more than the key. */
function hasEscape(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === backslash) return true;
  return false;
}

/** Bytes beyond ASCII are decoded wrongly, but the keys of places are ASCII, so none matches either way. */
function decoded(key: Uint8Array): string {
  return JSON.parse(`"${String.fromCharCode(...key)}"`) as string;
}
