// The page with which a browser works: what its files say of themselves, and what their policies let through
// in a real browser. The files are the smallest that there can be.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageFiles } from '../../src/pages/page-files.ts';
import type { BuiltPages } from '../../src/pages/read-pages.ts';
import { buildSmallPages } from '../../src/pages/testing/small-pages.ts';
import { launchBrowser } from '../support/browser.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-worker-page-'));
/** As a `PagesFolder` is while it builds, with what comes of it put in by the test. */
const worker = { pages: null as BuiltPages | null, fault: null as Error | null };
let live: LiveServer;
let browser: Browser;
let built: BuiltPages;

beforeAll(async () => {
  built = await buildSmallPages(folder);
  worker.pages = built;
  live = await startLiveServer({}, undefined, {}, { pages: worker });
  browser = await launchBrowser();
}, 60_000);

afterAll(async () => {
  await browser.close();
  await live.close();
  rmSync(folder, { recursive: true });
});

interface Plain {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it comes over the line: `fetch` asks for encodings by itself, and undoes them. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const asking = request(`${live.url}${path}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { statusCode: status = 0, headers: told } = answer;
        resolve({ status, headers: told, body: Buffer.concat(chunks) });
      });
    });
    asking.on('error', reject).end();
  });
}

const contentOf = (path: string) => built.files.find(({ url }) => url === path)!.content;

/** A function and no text: the policy lets nobody evaluate one. */
async function isWorking(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { document } = globalThis as unknown as { document: { title: string } };
    return document.title.endsWith('the socket is open');
  });
}

describe('what a browser works with', () => {
  test.each([
    ['/worker', 'text/html; charset=utf-8'],
    ['/worker/page.js', 'text/javascript; charset=utf-8'],
    ['/worker/page.css', 'text/css; charset=utf-8'],
    ['/worker/agent.js', 'text/javascript; charset=utf-8'],
    ['/worker/thread.js', 'text/javascript; charset=utf-8'],
    ['/worker/frame', 'text/html; charset=utf-8'],
    ['/worker/sw.js', 'text/javascript; charset=utf-8'],
    ['/worker/manifest.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['/worker/icon-192.png', 'image/png'],
    ['/worker/icon-512.png', 'image/png'],
    ['/worker/icon-maskable.png', 'image/png'],
    ['/worker/offline', 'text/html; charset=utf-8'],
    ['/worker/inter.woff2', 'font/woff2'],
  ])('%s is public, as %s', async (path, type) => {
    const { status, headers, body } = await ask(path);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-cache');
    expect(body).toEqual(contentOf(path));
  });

  test('there is nothing else below of it', async () => {
    expect(pageFiles.filter(({ url }) => url.startsWith('/worker'))).toHaveLength(13);
    expect((await ask('/worker/')).status).toBe(404);
    expect((await ask('/worker/pages.json')).status).toBe(404);
  });

  test.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
  ] as const)('is sent compressed to who takes %s', async (accepted, encoding, undo) => {
    const { headers, body } = await ask('/worker/page.css', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['vary']).toBe('accept-encoding');
    expect(headers['content-length']).toBe(String(body.length));
    expect(undo(body)).toEqual(contentOf('/worker/page.css'));
  });

  test('is sent as it is to who takes no other, and where nothing is gained', async () => {
    const css = await ask('/worker/page.css', { 'accept-encoding': 'identity' });
    const icon = await ask('/worker/icon-192.png', { 'accept-encoding': 'br, gzip' });
    for (const { headers } of [css, icon]) expect(headers['content-encoding']).toBeUndefined();
    expect(icon.body.toString()).toBe('an image');
  });

  test('is not sent again to who has it: each encoding has a mark of its own', async () => {
    const plain = await ask('/worker/page.js');
    const packed = await ask('/worker/page.css', { 'accept-encoding': 'br' });
    const mark = String(plain.headers['etag']);
    expect(mark).toMatch(/^"[0-9a-f]{32}"$/);
    expect(packed.headers['etag']).toMatch(/^"[0-9a-f]{32}-br"$/);
    for (const known of [mark, `W/${mark}`, `"other", ${mark}`, '*']) {
      const again = await ask('/worker/page.js', { 'if-none-match': known });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(again.headers['etag']).toBe(mark);
    }
    expect((await ask('/worker/page.js', { 'if-none-match': '"other"' })).status).toBe(200);
    const other = await ask('/worker/page.css', {
      'if-none-match': String(packed.headers['etag']),
      'accept-encoding': 'gzip',
    });
    expect(other.status).toBe(200);
  });

  test('answers HEAD without the body, and 405 with what it takes', async () => {
    const head = await ask('/worker', {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(contentOf('/worker').length));
    const post = await ask('/worker', {}, 'POST');
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the policy', () => {
  test('of the page and of its scripts: all from here, nothing from elsewhere', async () => {
    const { host } = new URL(live.url);
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
      `connect-src 'self' ws://${host}; worker-src 'self'; frame-src 'self'; manifest-src 'self'; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    for (const path of ['/worker', '/worker/agent.js', '/worker/sw.js']) {
      expect((await ask(path)).headers['content-security-policy']).toBe(policy);
    }
  });

  test('of a document with a style in it allows that style alone', async () => {
    const hash = createHash('sha256').update('p { color: red }').digest('base64');
    const { headers } = await ask('/worker/offline');
    expect(headers['content-security-policy']).toContain(`; style-src 'self' 'sha256-${hash}'; `);
  });

  test('names no host that cannot stand in it', async () => {
    const { headers } = await ask('/worker', { host: '[::1]:8000' });
    expect(headers['content-security-policy']).toContain("connect-src 'self'; worker-src");
  });

  test('of the frame: no origin, no network, no feature, one script', async () => {
    const { headers } = await ask('/worker/frame');
    expect(headers['content-security-policy']).toBe(
      "sandbox allow-scripts; default-src 'none'; " +
        `script-src 'unsafe-eval' 'wasm-unsafe-eval' blob: 'sha256-${built.frameScript}'; ` +
        "worker-src blob:; connect-src 'none'; img-src 'none'; frame-src 'none'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'self'",
    );
    const denied = String(headers['permissions-policy']).split(', ');
    expect(denied).toContain('camera=()');
    for (const each of denied) expect(each).toMatch(/^[a-z-]+=\(\)$/);
    expect(headers['x-dns-prefetch-control']).toBe('off');
  });

  test('of the service worker lets it answer for the page', async () => {
    expect((await ask('/worker/sw.js')).headers['service-worker-allowed']).toBe('/worker');
  });

  test('in a browser: page, socket, frame and its thread work, and the frame reaches nothing', async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${live.url}/worker`);
    await isWorking(page);
    expect(await page.title()).toBe('reaches nothing </script><!-- 21, the socket is open');
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe('while the pages are being built', () => {
  const without = async (fault: Error | null, act: () => Promise<void>) => {
    Object.assign(worker, { pages: null, fault });
    await act();
    Object.assign(worker, { pages: built, fault: null });
  };

  test('a document says so, and when to ask again', async () => {
    await without(null, async () => {
      const { status, headers, body } = await ask('/worker');
      expect([status, headers['retry-after']]).toEqual([503, '2']);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(body.toString()).toContain('It comes by itself.');
    });
  });

  test('the root is a page all the same', async () => {
    await without(null, async () => {
      const { status, headers, body } = await ask('/');
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(body.toString()).toContain('It comes by itself.');
      expect((await ask('/jobs')).status).toBe(200);
    });
  });

  test('what is no document is refused like anything else that comes too early', async () => {
    await without(null, async () => {
      const answer = await live.call('GET', '/worker/page.js');
      expect([answer.status, answer.body.code]).toEqual([503, 'busy']);
      expect(answer.headers.get('retry-after')).toBe('1');
    });
  });

  test('the page comes by itself, with what stands behind the # of its address', async () => {
    const page = await browser.newPage();
    await without(null, async () => {
      await page.goto(`${live.url}/worker#t=secret`);
      await page.getByText('It comes by itself.').waitFor({ state: 'attached' });
    });
    await isWorking(page);
    expect(page.url()).toBe(`${live.url}/worker#t=secret`);
    await page.close();
  });

  test('a build that failed is told, and nobody tries again for ever', async () => {
    await without(new Error('no bundler'), async () => {
      const { status, headers, body } = await ask('/worker');
      expect([status, headers['retry-after']]).toEqual([503, undefined]);
      expect(body.toString()).toContain('the log of the coordinator says why');
      expect(body.toString()).not.toContain('<script>');
      expect((await live.call('GET', '/worker/agent.js')).status).toBe(404);
    });
  });
});

test('a coordinator without pages has nothing at their addresses', async () => {
  const bare = await startLiveServer();
  expect((await bare.call('GET', '/worker')).status).toBe(404);
  expect((await bare.call('GET', '/app/app.js')).status).toBe(404);
  const root = await fetch(bare.url);
  expect([root.status, await root.text()]).toEqual([200, expect.stringContaining('The pages')]);
  await bare.close();
});
