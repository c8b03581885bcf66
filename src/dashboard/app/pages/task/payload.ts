// Values as text, folded where they are long.

export interface Folded {
  readonly text: string;
  /** Bytes of the whole text in UTF-8. */
  readonly bytes: number;
  readonly isFolded: boolean;
}

/** So much is shown at once. */
const shownCharacters = 4_096;

/** As JSON over several lines; what is a text stays one. */
export function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null');
}

export function folded(text: string, isOpen: boolean): Folded {
  const bytes = new TextEncoder().encode(text).length;
  if (isOpen || text.length <= shownCharacters) return { text, bytes, isFolded: false };
  // Half of a pair would be shown as a box.
  const end = isHighSurrogate(text.charCodeAt(shownCharacters - 1))
    ? shownCharacters - 1
    : shownCharacters;
  return { text: text.slice(0, end), bytes, isFolded: true };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
