// Pages without any policy, for positive controls: whatever a browser can do, code can do there.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PlainPages {
  readonly url: string;
  close(): void;
}

export async function servePlainPages(): Promise<PlainPages> {
  const server = createServer(({ url }, response) => {
    const isScript = url === '/service.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? '' : '<!doctype html><title>plain</title><body>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
