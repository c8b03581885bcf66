// The thread that moves what the write-ahead log holds into the database, over a connection of its own. It holds up
// neither reads nor writes of others ("passive"). Each message asks for it once and is answered when it is done.

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const db = new DatabaseSync(workerData as string);
// The log is synced before, the database after.
db.exec('pragma synchronous = full; pragma cache_size = -256; pragma wal_autocheckpoint = 0');
const move = db.prepare('pragma wal_checkpoint(passive)');

parentPort!.on('message', (message: 'move' | 'end') => {
  if (message === 'end') {
    db.close();
    parentPort!.close();
    return;
  }
  move.get();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort!.postMessage('moved');
});
