// The page of a browser worker on a port of this machine, as it was built to be served, with a stand-in for
// its agent: the coordinator is not needed to look at it.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { PagesFolder } from '../../../src/pages/pages-folder.ts';

export interface ServedPage {
  readonly url: string;
  /** What is sent for a path under `/worker`. */
  readonly body: (path: string) => Buffer;
  readonly close: () => void;
}

interface Served {
  readonly type: string;
  readonly body: Buffer;
}

export async function servePage(): Promise<ServedPage> {
  const folder = new PagesFolder();
  const [agent] = await Promise.all([
    bundled(join(import.meta.dirname, 'standing-agent.ts')),
    folder.build(),
  ]);
  if (folder.pages === null) throw folder.fault ?? new Error('The pages were not built.');
  const served = new Map<string, Served>(
    folder.pages.files.map(({ url, type, content }) => [url, { type, body: content }]),
  );
  served.set('/worker/agent.js', { type: 'text/javascript', body: Buffer.from(agent) });
  const server = createServer(({ url = '' }, response) => {
    const found = served.get(url);
    if (found === undefined) return void response.writeHead(404).end();
    response.setHeader('content-type', found.type);
    response.setHeader('content-security-policy', policyOf(url, found.body));
    response.setHeader('service-worker-allowed', '/worker');
    response.end(found.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/worker`,
    body: (path) => served.get(path)!.body,
    close: () => server.close(),
  };
}

/** Nothing from elsewhere, and nothing inline; the offline page brings its own style. */
function policyOf(path: string, body: Buffer): string {
  const [, style] =
    /<style>([^]*)<\/style>/.exec(path === '/worker/offline' ? `${body}` : '') ?? [];
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const own = ['script', 'img', 'font', 'connect', 'worker', 'manifest', 'frame'];
  return [
    "default-src 'none'",
    ...own.map((kind) => `${kind}-src 'self'`),
    `style-src ${style === undefined ? "'self'" : hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function bundled(input: string): Promise<string> {
  const bundler = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  try {
    const { output } = await bundler.generate({ codeSplitting: false });
    return output[0].code;
  } finally {
    await bundler.close();
  }
}
