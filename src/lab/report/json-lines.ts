// JSON to be read: indented, but what has only plain values stays on a line while it is short, and numbers always.

const lineLetters = 88;

export function jsonLines(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const line = lineOf(value);
  const isNumbers = Array.isArray(value) && value.every((each) => typeof each === 'number');
  if (isNumbers || indent.length + line.length <= lineLetters) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((each) => `${inner}${jsonLines(each, inner)}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const fields = Object.entries(value).map(
    ([key, each]) => `${inner}${JSON.stringify(key)}: ${jsonLines(each, inner)}`,
  );
  return `{\n${fields.join(',\n')}\n${indent}}`;
}

function lineOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(lineOf).join(', ')}]`;
  const fields = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${lineOf(each)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
