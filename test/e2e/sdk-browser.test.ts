// The SDK in a page of a real browser: bundled as an application would bundle it, on the
// coordinator's own origin, with real workers behind.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as Sdk from '../../src/client/index.ts';
import { connect } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';

const ENTRY = join(import.meta.dirname, '..', '..', 'src', 'client', 'index.ts');

/** What the page finds on its own origin, by path. */
type Chunks = ReadonlyMap<string, string>;

const folder = mkdtempSync(join(tmpdir(), 'muster-sdk-browser-'));
let serving: ServingCli;
let browser: Browser;
let page: Page;
let chunks: Chunks;
/** Serves the pages of an application that is being written, as Vite does: another origin. */
let pages: Server;
let otherOrigin: string;

beforeAll(async () => {
  pages = createServer(servePage).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  otherOrigin = `http://localhost:${(pages.address() as AddressInfo).port}`;
  [serving, browser, chunks] = await Promise.all([
    serveCli(['--workers', '2', '--allow-origin', otherOrigin], { folder }),
    launchBrowser(),
    bundled(),
  ]);
  page = await browser.newPage();
  // Of the coordinator's own origin: what it does not serve is put beside its page.
  await page.route('**/sdk/**', (route) => {
    const body = chunks.get(new URL(route.request().url()).pathname);
    return body === undefined
      ? route.fulfill({ status: 404 })
      : route.fulfill({ contentType: 'text/javascript', body });
  });
  await page.goto(serving.url);
  await loadSdk(page);
});

function servePage({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const script = chunks.get(url);
  response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
  response.end(script ?? '<title>an application</title>');
}

/** The page finds the SDK beside itself, and connects to the coordinator. */
async function loadSdk(into: Page): Promise<void> {
  await into.evaluate(async (url) => {
    const sdk = (await import(`${location.origin}/sdk/index.js`)) as typeof Sdk;
    Object.assign(globalThis, { sdk, muster: sdk.connect(url) });
  }, serving.url);
}

afterAll(async () => {
  await browser.close();
  await serving.stop();
  pages.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An application that is written as people write one, before somebody minifies it with the SDK in it. */
const SHOP = `
import { connect } from ${JSON.stringify(ENTRY)};

const vat = Number(globalThis.vat ?? 1.19);
const round = (amount) => Math.round(amount);
const grossByName = (net) => round(net * vat);
const gross = (net, { vat, round }) => round(net * vat);

const caught = (run) => run.then(String, (error) => error.message);

export async function sell(url) {
  const muster = connect(url);
  const inputs = [100, 200];
  return {
    taken: await muster.map(inputs, (net, task, { gross, vat, round }) => gross(net, { vat, round }), {
      with: { gross, vat, round },
    }),
    whole: await muster.map(inputs, (net, task, along) => along.gross(net, along), {
      with: { gross, vat, round },
    }),
    byName: await caught(
      muster.map(inputs, (net) => grossByName(net), { with: { grossByName, vat, round } }),
    ),
    helper: await caught(
      muster.map(inputs, (net, task, { grossByName }) => grossByName(net), {
        with: { grossByName, vat },
      }),
    ),
    withoutWith: await caught(muster.map(inputs, (net) => grossByName(net))),
  };
}
`;

async function bundled(): Promise<Chunks> {
  const shop = join(folder, 'shop.js');
  writeFileSync(shop, SHOP);
  const [sdkAlone, withShop] = await Promise.all([chunksOf({ index: ENTRY }), chunksOf({ shop })]);
  return new Map([...withShop, ...sdkAlone]);
}

async function chunksOf(input: Readonly<Record<string, string>>): Promise<Chunks> {
  const bundler = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  try {
    const { output } = await bundler.generate({
      dir: folder,
      format: 'esm',
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: `${Object.keys(input)[0]}-[name].js`,
    });
    return new Map(
      output.map((each) => [
        `/sdk/${each.fileName}`,
        each.type === 'chunk' ? each.code : String(each.source),
      ]),
    );
  } finally {
    await bundler.close();
  }
}

// In the page: what the functions below refer to.
declare const sdk: typeof Sdk;
declare const muster: Sdk.MusterClient;
declare const location: { readonly origin: string };
declare const document: { readonly title: string };

describe('in a page', () => {
  test('the parser is loaded only when a function is sent', () => {
    const entry = chunks.get('/sdk/index.js');
    expect(entry?.length).toBeLessThan(43_000);
    expect(chunks.size).toBeGreaterThan(1);
    expect([...chunks.values()].join('')).not.toMatch(/from\s*["']node:/);
  });

  test('map gives all results in order, and each as it comes', async () => {
    const found = await page.evaluate(async () => {
      const factor = 3;
      const told: number[] = [];
      const run = muster.map([1, 2, 3, 4], (n) => n * factor, {
        with: { factor },
        onProgress: ({ fraction }) => told.push(fraction),
      });
      const seen: unknown[] = [];
      for await (const { index, value } of run) seen[index] = value;
      return { all: await run, seen, told, progress: run.progress, jobId: await run.jobId };
    });
    expect(found).toMatchObject({ all: [3, 6, 9, 12], seen: [3, 6, 9, 12] });
    // Once for the job and for each result, and in between when a slow one takes long to come.
    expect(found.told.length).toBeGreaterThanOrEqual(5);
    expect(found.told).toEqual(found.told.toSorted((one, other) => one - other));
    expect([found.told[0], found.told.at(-1)]).toEqual([0, 1]);
    expect(found.progress).toMatchObject({ total: 4, completed: 4, fraction: 1 });
    const job = await connect(serving.url).jobHead(found.jobId);
    expect(job.status).toBe('completed');
  });

  test('inputs come from wherever they come, thousands of them', async () => {
    const sum = await page.evaluate(async () => {
      async function* inputs() {
        for (let n = 0; n < 3000; n++) yield { n };
      }
      let so = 0;
      for await (const { value } of muster.map(inputs(), ({ n }) => n)) so += value;
      return so;
    });
    expect(sum).toBe((3000 * 2999) / 2);
  });

  test('a function that cannot travel is refused before anything is sent', async () => {
    const { total_jobs: before } = await connect(serving.url).stats();
    const found = await page.evaluate(async () => {
      const outside = 3;
      const refused = async (fn: (n: number) => unknown) => {
        const error: unknown = await muster.map([1], fn).catch((cause) => cause);
        return error instanceof sdk.ProgramError ? error.problems[0]?.message : String(error);
      };
      return [
        await refused((n) => n + outside),
        await refused(() => document.title),
        await refused(parseInt as never),
      ];
    });
    expect(found).toEqual([
      expect.stringContaining('"outside" is defined outside of it'),
      expect.stringContaining(
        '"document" does not exist where tasks run: it belongs to a web page',
      ),
      expect.stringContaining('it is a native function'),
    ]);
    expect((await connect(serving.url).stats()).total_jobs).toBe(before);
  });

  test('a minified application sends functions and values along by the third parameter', async () => {
    const sold = await page.evaluate(async (url) => {
      const { sell } = (await import(`${location.origin}/sdk/shop.js`)) as {
        sell: (url: string) => Promise<Record<string, unknown>>;
      };
      return sell(url);
    }, serving.url);
    const cannot = (what: string, way: string) =>
      expect.stringMatching(
        new RegExp(
          `^${what} cannot run on other devices:\n {2}"\\w+" is defined outside of it and does not travel \\(line 1, column \\d+\\)\n` +
            `(?: {2}"\\w+" .*\n)* {2}it looks minified: .*, so ${way}$`,
        ),
      );
    const taking = (names: string) =>
      `take what is sent along from the third parameter: muster\\.map\\(inputs, \\(input, task, \\{ ${names} \\}\\) => …, \\{ with: \\{ ${names} \\} \\}\\)`;
    expect(sold).toEqual({
      taken: [119, 238],
      whole: [119, 238],
      byName: cannot('The function', taking('grossByName, vat, round')),
      helper: cannot(
        'The function "grossByName" of `with`',
        'hand it what it needs, as in const grossByName = .*',
      ),
      withoutWith: cannot('The function', taking('helper')),
    });
  });

  test('a task that fails is named', async () => {
    const found = await page.evaluate(async () => {
      const run = muster.map(
        [1, 2],
        (n) => {
          if (n === 2) throw new RangeError('no');
          return n;
        },
        { max_attempts: 1 },
      );
      const error = (await run.catch((cause) => cause)) as Sdk.TaskError;
      return { name: error.name, message: error.message, index: error.index };
    });
    expect(found).toEqual({
      name: 'TaskError',
      message: 'Task 1 failed with RangeError: no',
      index: 1,
    });
  });

  test('events tell what happens; cancel stops it', async () => {
    const found = await page.evaluate(async () => {
      const lastEventId = await muster.eventPlace();
      const run = muster.map([1, 2], function* (): Generator<unknown, number> {
        for (;;) yield {};
      });
      const end = run.catch((error) => (error as Error).name);
      const jobId = await run.jobId;
      const types: string[] = [];
      const watching = (async () => {
        for await (const { type } of muster.events({ jobId, lastEventId })) {
          types.push(type);
          if (type === 'job_finished') return;
        }
      })();
      while ((await muster.jobHead(jobId)).status !== 'running');
      await run.cancel();
      await watching;
      return { end: await end, types, status: (await muster.jobHead(jobId)).status };
    });
    expect(found.end).toBe('JobCancelledError');
    expect(found.status).toBe('cancelled');
    expect(found.types).toContain('job_cancelled');
    expect(found.types.at(-1)).toBe('job_finished');
  });

  test('a signal ends the loop with its reason', async () => {
    const message = await page.evaluate(async () => {
      const controller = new AbortController();
      const run = muster.map(
        { range: { start: 0, count: 100_000 } },
        function* (n): Generator<unknown, number> {
          for (let i = 0; i < 1000; i++) yield {};
          return n;
        },
        { signal: controller.signal },
      );
      try {
        for await (const { index } of run) if (index >= 0) controller.abort(new Error('enough'));
        return 'it ended';
      } catch (error) {
        await run.cancel();
        return `${(error as Error).message}, ${(await muster.jobHead(await run.jobId)).status}`;
      }
    });
    expect(message).toBe('enough, cancelled');
  });

  test('a page of an origin that is allowed uses all of it, and reads what goes wrong', async () => {
    const other = await browser.newPage();
    await other.goto(otherOrigin);
    await loadSdk(other);
    const found = await other.evaluate(async () => {
      // The job may be over before a stream is open: it begins where events stood before the job.
      const lastEventId = await muster.eventPlace();
      const run = muster.map([1, 2, 3], (n) => n * n);
      const jobId = await run.jobId;
      const types: string[] = [];
      for await (const { type } of muster.events({ jobId, lastEventId })) {
        types.push(type);
        if (type === 'job_finished') break;
      }
      const blob = await muster.putBlob({ n: 1 });
      await muster.scheduler.configure({ weighting: 'entropy' });
      const unknown = (await muster.jobHead('none').catch((error) => error)) as Sdk.MusterError;
      const wrong = (await muster
        .submit({ program: { kind: 'javascript', source: '' }, inputs: [] })
        .catch((error) => error)) as Sdk.MusterError;
      const values = await run;
      await muster.deleteJob(jobId);
      return {
        origin: location.origin,
        values,
        last: types.at(-1),
        blob: typeof blob,
        unknown: [unknown.status, unknown.message],
        wrong: [wrong.status, wrong.code],
      };
    });
    expect(found).toEqual({
      origin: otherOrigin,
      values: [1, 4, 9],
      last: 'job_finished',
      blob: 'object',
      unknown: [404, expect.stringContaining('No job has the id "none"')],
      wrong: [422, 'validation_failed'],
    });
    await other.close();
  });

  test('a page from elsewhere is refused', async () => {
    const other = await browser.newPage();
    await other.route('http://elsewhere.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>elsewhere</title>' }),
    );
    await other.goto('http://elsewhere.example/');
    const end = await other.evaluate(
      (url) => fetch(`${url}/api/stats`).then(String, String),
      serving.url,
    );
    expect(end).toMatch(/^TypeError/);
    await other.close();
  });
});
