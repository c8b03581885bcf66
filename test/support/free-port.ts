// A port that is free now, and probably stays so.

import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: nobody takes it during a restart. */
const lowestPort = 20_000;
const highestPort = 32_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
