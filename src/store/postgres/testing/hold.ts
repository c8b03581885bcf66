// Opens a database, says so, and holds it until the process is killed.

import { openPostgresStore } from '../open.ts';

await openPostgresStore(process.argv[2]!);
process.stdout.write('open\n');
setInterval(() => undefined, 60_000);
