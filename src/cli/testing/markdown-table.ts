// Makes a table as it stands in the reference pages.

export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll('|  |', '| |');
  return `${[line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n')}\n`;
}
