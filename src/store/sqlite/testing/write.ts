// Commits batch after batch, until the process is killed.

import { commitForever } from '../../conformance/endless-commits.ts';
import { openSqliteStore } from '../open.ts';

await commitForever(openSqliteStore(process.argv[2]!));
