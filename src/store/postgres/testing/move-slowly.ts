// Moves a database in small batches, and prints the table of each, until it is killed.

import { writeSync } from 'node:fs';
import { moveStore } from './moves.ts';

const { from, to, rows } = JSON.parse(process.argv[2]!) as {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
};
await moveStore(from, to, {
  bounds: { rows, bytes: 300_000 },
  tell: ({ phase, table }) => {
    if (phase === 'copying') writeSync(1, `${table}\n`);
  },
});
