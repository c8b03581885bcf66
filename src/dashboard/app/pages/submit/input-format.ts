// In which form inputs were given: told by the name of the file, else by how the text begins.

export const inputFormats = ['json', 'ndjson', 'csv', 'lines', 'range'] as const;
export type InputFormat = (typeof inputFormats)[number];

export const formatNames: Readonly<Record<InputFormat, string>> = {
  json: 'JSON',
  ndjson: 'NDJSON',
  csv: 'CSV',
  lines: 'Text',
  range: 'A range',
};

const byEnding: Readonly<Record<string, InputFormat>> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  tsv: 'csv',
  txt: 'lines',
  md: 'lines',
};

/** Of a file its beginning is enough. `name`: null for what was typed or pasted. */
export function formatOf(name: string | null, beginning: string): Exclude<InputFormat, 'range'> {
  const ending = name?.split('.').at(-1)?.toLowerCase() ?? '';
  const known = byEnding[ending];
  if (known !== undefined && known !== 'range') return known;
  const lines = beginning
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first = '', second] = lines;
  if (first === '') return 'json';
  const isValue = isJson(first);
  if (first.startsWith('[') && (!isValue || second === undefined)) return 'json';
  if (isValue) return 'ndjson';
  // An object over several lines is no list, and is told to be none.
  if (first === '{') return 'json';
  // A line is as a table has them when the next one has as many columns.
  const columns = first.split(/[,;\t]/).length;
  const isTable = columns > 1 && second !== undefined && second.split(/[,;\t]/).length === columns;
  return isTable ? 'csv' : 'lines';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
