// Rows of a CSV file as inputs, read as they come. A wrong row is told with its file and its line.

import { csvRows as rowsOf, type CsvRow, InputFault } from '../../client/csv.ts';
import { CommandFailure } from '../command-failure.ts';
import { linesByPiece } from '../text-lines.ts';

/** `onRow` is told the line on which each row begins, before it comes. */
export async function* csvRows(
  pieces: AsyncIterable<string | Uint8Array>,
  source: string,
  onRow: (line: number) => void,
): AsyncGenerator<CsvRow, void, void> {
  try {
    for await (const { line, row } of rowsOf(linesByPiece(pieces, source))) {
      onRow(line);
      yield row;
    }
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    throw new CommandFailure('usage', `${source}:${error.line} ${error.what}.`);
  }
}
