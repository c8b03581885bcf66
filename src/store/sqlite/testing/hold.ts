// A coordinator of another process: opens the database, says so, and stays until it is killed.

import { openSqliteStore } from '../open.ts';

const store = openSqliteStore(process.argv[2]!);
process.stdout.write('open\n');
// A store that nobody knows any more is closed with the next collection of garbage.
setInterval(() => store, 1000);
