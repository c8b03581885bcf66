// Commits batch after batch, until the process is killed, or the server is.

import { commitForever } from '../../conformance/endless-commits.ts';
import { openPostgresStore } from '../open.ts';

// Whoever waits for its end does not start the server before.
const options = { standstillMs: 0, patienceMs: 1_000 };
await commitForever(await openPostgresStore(process.argv[2]!, options));
