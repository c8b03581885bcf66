// Commits batch after batch, until the process is killed, or the server is.

import { commitForever } from '../../conformance/endless-commits.ts';
import { openPostgresStore } from '../open.ts';

await commitForever(await openPostgresStore(process.argv[2]!, { standstillMs: 0 }));
