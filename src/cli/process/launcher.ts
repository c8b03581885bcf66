// In a checkout, `npm run muster` and `npm start` are a launcher (bootstrap.mjs) whose child this process
// is. Signals are handed on; nothing can hand on `kill -9`. So the two hold a pipe, and the end of the
// launcher, which closes it, is the end of this process as well.

import { Socket } from 'node:net';

/** Names the pipe, by its number. */
const VARIABLE = 'MUSTER_LAUNCHER_FD';

export function endWithLauncher(environment: NodeJS.ProcessEnv): void {
  const fd = Number(environment[VARIABLE]);
  // Processes that this one starts have other pipes under that number.
  delete environment[VARIABLE];
  if (!Number.isInteger(fd) || fd < 3) return;
  const pipe = new Socket({ fd, writable: false });
  pipe.on('error', () => {}); // It closes then.
  pipe.once('close', () => process.kill(process.pid, 'SIGKILL'));
  pipe.resume();
  pipe.unref();
}
