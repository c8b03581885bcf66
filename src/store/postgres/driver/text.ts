// PostgreSQL refuses U+0000 in texts. It is written as U+0001 and `0`, U+0001 as U+0001 and `1`: so every text
// comes back to the letter, two texts are equal in the database if and only if they are equal outside, and those
// without either, which are nearly all, are stored as they are.

export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.includes('\u0001')) return text;
  return text.replaceAll('\u0001', '\u00011').replaceAll('\0', '\u00010');
}

export function decodeText(text: string): string {
  if (!text.includes('\u0001')) return text;
  const [first, ...rest] = text.split('\u0001');
  return (
    first + rest.map((part) => (part.startsWith('0') ? '\0' : '\u0001') + part.slice(1)).join('')
  );
}
