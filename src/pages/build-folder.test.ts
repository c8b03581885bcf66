import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildFolder } from './build-folder.ts';
import type { PagesOrder } from './build-order.ts';
import { pageFiles } from './page-files.ts';
import { PagesFolder } from './pages-folder.ts';
import { readPages } from './read-pages.ts';
import { hashSources } from './source-hash.ts';
import { writeSources } from './testing/small-pages.ts';

let folder: string;
let order: PagesOrder;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-pages-'));
  order = orderIn(folder);
});

afterEach(() => rmSync(folder, { recursive: true }));

function orderIn(place: string): PagesOrder {
  const sources = join(place, 'src');
  writeSources(sources);
  return { sources, version: '1.2.3', target: join(place, 'built', 'one'), removesOthers: true };
}

const inBuilt = (name: string, { target } = order) => readFileSync(join(target, name));
const builtFolders = () => readdirSync(join(folder, 'built')).toSorted();

describe('what is built:', () => {
  /** Once: to build and to compress it takes a second. */
  let whole: PagesOrder;
  beforeAll(async () => {
    whole = orderIn(mkdtempSync(join(tmpdir(), 'muster-pages-whole-')));
    await buildFolder(whole);
  });
  afterAll(() => rmSync(join(whole.sources, '..'), { recursive: true }));

  test('every file of the table is built, and lies there compressed where that is smaller', () => {
    for (const { name } of pageFiles) expect(existsSync(join(whole.target, name))).toBe(true);
    const css = inBuilt('page.css', whole);
    expect(brotliDecompressSync(inBuilt('page.css.br', whole))).toEqual(css);
    expect(gunzipSync(inBuilt('page.css.gz', whole))).toEqual(css);
    expect(existsSync(join(whole.target, 'icon-192.png.br'))).toBe(false);
    const html = readPages(whole.target, pageFiles)!.files.find(({ url }) => url === '/worker')!;
    expect(html.encoded.map(({ encoding }) => encoding)).toEqual(['br', 'gzip']);
  });

  test('the styles of the dashboard are one, from the general to the single page', () => {
    expect(inBuilt('app.css', whole).toString()).toBe(
      ':root { --ink: black; } b { color: red; } p { color: green; } p { color: blue; } ',
    );
  });

  test('a bundle has what it imports in it, is minified, and has no types', () => {
    const page = inBuilt('page.js', whole).toString();
    expect(page).not.toMatch(/import|: string/);
    expect(page.split('\n').length).toBe(1);
  });

  test('the page is told the version', () => {
    expect(inBuilt('worker.html', whole).toString()).toContain('<html data-version="1.2.3">');
  });

  test('the document of a frame has its script in it, whose hash is in the index', () => {
    const [, script = ''] = /<script>(.*)<\/script>\n$/s.exec(
      inBuilt('frame.html', whole).toString(),
    )!;
    expect(script).not.toMatch(/<\/script|<!--/);
    expect(script).toContain(String.raw`\x3c!--`);
    const { frameScript } = readPages(whole.target, pageFiles)!;
    expect(frameScript).toBe(createHash('sha256').update(script).digest('base64'));
  });

  test('the thread is one classic script in strict code, with the library of the realm in it and its own names', () => {
    const context = createContext({ console });
    runInContext(inBuilt('thread.js', whole).toString(), context);
    expect(context['told']).toEqual(['function', 'function', true, 'NamedClass']);
  });
});

test('the script of the dashboard is in parts, each by a name that changes with it', async () => {
  await buildFolder(order);
  const files = () => readPages(order.target, pageFiles)!.files;
  const part = files().find(({ isLasting }) => isLasting)!;
  expect(part.url).toMatch(/^\/app\/one-[\w-]{8}\.js$/);
  expect(part.content.toString()).toContain('loaded when it is needed');
  const entry = inBuilt('app.js').toString();
  expect(entry).toContain(part.url.replace('/app/', './'));
  expect(entry).not.toContain('loaded when');
  writeSources(order.sources, { 'dashboard/app/pages/one.tsx': "export const title = 'else';\n" });
  rmSync(order.target, { recursive: true });
  await buildFolder(order);
  expect(files().find(({ isLasting }) => isLasting)!.url).not.toBe(part.url);
});

test.each([
  ['imports what only Node has', "import 'node:fs';", /imports node:fs, which no browser has/],
  ['imports what is not there', "import './gone.ts';", /gone\.ts/],
  ['cannot be parsed', 'const = 1;', /./],
])('a script that %s is not built, and nothing is left', async (_what, code, why) => {
  writeSources(order.sources, { 'dashboard/worker/main.ts': code });
  await expect(buildFolder(order)).rejects.toThrow(why);
  expect(existsSync(join(folder, 'built')) ? builtFolders() : []).toEqual([]);
});

test('processes that build at once leave one whole folder', async () => {
  const main = join(import.meta.dirname, 'main.ts');
  const ends = await Promise.all(
    [1, 2].map(() => {
      const args = [main, JSON.stringify(order)];
      return once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
    }),
  );
  expect(ends).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(builtFolders()).toEqual(['one']);
  expect(readPages(order.target, pageFiles)).not.toBeNull();
});

test('a folder that was damaged is built again', async () => {
  await buildFolder(order);
  writeFileSync(join(order.target, 'page.js'), 'nothing');
  expect(readPages(order.target, pageFiles)).toBeNull();
  await buildFolder(order);
  expect(readPages(order.target, pageFiles)).not.toBeNull();
});

test('folders of older sources stay for a week, drafts for an hour', async () => {
  const hoursAgo = (name: string, hours: number) => {
    const path = join(folder, 'built', name);
    mkdirSync(path, { recursive: true });
    const at = Date.now() / 1_000 - hours * 3_600;
    utimesSync(path, at, at);
  };
  hoursAgo('old', 8 * 24);
  hoursAgo('yesterday', 24);
  hoursAgo('old.17.new', 2);
  hoursAgo('yesterday.18.new', 0);
  await buildFolder(order);
  expect(builtFolders()).toEqual(['one', 'yesterday', 'yesterday.18.new']);
});

test('a builder of its own makes the pages, and says why it cannot', async () => {
  const pages = new PagesFolder(order);
  expect(pages.pages).toBeNull();
  await pages.build();
  expect(pages.fault).toBeNull();
  expect(pages.pages!.files.slice(0, pageFiles.length).map(({ url }) => url)).toEqual(
    pageFiles.map(({ url }) => url),
  );
  rmSync(join(order.sources, 'dashboard/worker/worker.css'));
  const others = new PagesFolder({ ...order, target: join(folder, 'built', 'two') });
  await others.build();
  expect(others.pages).toBeNull();
  expect(others.fault!.message).toMatch(
    /^ENOENT: no such file or directory, open '.*worker\.css'$/,
  );
  writeSources(order.sources, {
    'dashboard/worker/worker.css': '',
    'dashboard/worker/main.ts': 'const = 1;',
  });
  const third = new PagesFolder({ ...order, target: join(folder, 'built', 'three') });
  await third.build();
  expect(third.fault!.message).toMatch(/^Build failed with 1 error/);
});

test('another hash stands for other sources, other packages and another version', () => {
  const lock = join(folder, 'lock.json');
  const hash = (version = '1') => hashSources(order.sources, [lock], version);
  const hashes = [hash(), hash('2')];
  writeFileSync(lock, '{}');
  hashes.push(hash());
  writeSources(order.sources, { 'worker/browser/agent-main.ts': 'onmessage = null;' });
  hashes.push(hash());
  expect(new Set(hashes).size).toBe(hashes.length);
  writeSources(order.sources, {
    'worker/node/only.ts': 'export {};',
    'worker/browser/a.test.ts': 'export {};',
  });
  expect(hash()).toBe(hashes.at(-1));
});
