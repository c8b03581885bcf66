// A coordinator of another process: opens the database, says so, and stays until it is killed.

import { openSqliteStore } from '../open.ts';

openSqliteStore(process.argv[2]!);
process.stdout.write('open\n');
setInterval(() => undefined, 1000);
