// How texts are compared in every table.

/** Texts are compared byte by byte, as everywhere else, whatever the database was made with. */
export function withByteOrder(sql: string): string {
  return sql.replaceAll(/(?<=^ {4}\w+ )text\b(\[\])?|(?<=[(,] ?\w+ )text\b/gm, '$& collate "C"');
}
