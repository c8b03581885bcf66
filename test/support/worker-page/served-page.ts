// The page of a browser worker on a port of this machine, bundled as it is served, with a stand-in for its agent:
// the coordinator is not needed to look at it.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PAGE = join(ROOT, 'src', 'dashboard', 'worker');
const FONT = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';

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
  const [page, agent, lasting] = await Promise.all([
    bundled(join(PAGE, 'main.ts'), 'esm'),
    bundled(join(import.meta.dirname, 'standing-agent.ts'), 'esm'),
    bundled(join(PAGE, 'sw.ts'), 'iife'),
  ]);
  const file = (type: string, ...path: string[]): Served => ({
    type,
    body: readFileSync(join(...path)),
  });
  const script = (text: string): Served => ({ type: 'text/javascript', body: Buffer.from(text) });
  const served = new Map<string, Served>([
    ['/worker', file('text/html', PAGE, 'worker.html')],
    ['/worker/page.js', script(page)],
    ['/worker/page.css', file('text/css', PAGE, 'worker.css')],
    ['/worker/agent.js', script(agent)],
    ['/worker/sw.js', script(lasting)],
    ['/worker/offline', file('text/html', PAGE, 'offline.html')],
    [
      '/worker/manifest.webmanifest',
      file('application/manifest+json', PAGE, 'manifest.webmanifest'),
    ],
    ['/worker/inter.woff2', file('font/woff2', ROOT, 'node_modules', FONT)],
    ...['icon-192', 'icon-512', 'icon-maskable'].map(
      (name) => [`/worker/${name}.png`, file('image/png', PAGE, `${name}.png`)] as const,
    ),
  ]);
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

async function bundled(input: string, format: 'esm' | 'iife'): Promise<string> {
  const bundler = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  try {
    const { output } = await bundler.generate({ format, minify: true, codeSplitting: false });
    return output[0].code;
  } finally {
    await bundler.close();
  }
}
