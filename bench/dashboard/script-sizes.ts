// What the scripts and styles of the dashboard weigh as they go over the wire: for the overview, and in all.

import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { makePages } from '../../src/pages/bundle-pages.ts';
import { pageFiles } from '../../src/pages/page-files.ts';
import { tableOf } from './figures.ts';

export async function reportSizes(print: (line: string) => void): Promise<void> {
  const files = pageFiles.filter(({ name }) => name === 'app.js' || name === 'app.css');
  const sources = join(dirname(dirname(import.meta.dirname)), 'src');
  const { contents } = await makePages(files, { sources, version: '0.0.0' });
  const scripts = [...contents.keys()].filter((name) => name.endsWith('.js'));
  const rows = [
    ['the dashboard, bytes', 'files', 'plain', 'gzip', 'brotli'],
    row('scripts of the overview', ofOverview(contents), contents),
    row('all scripts', scripts, contents),
    row('styles', ['app.css'], contents),
  ];
  for (const line of tableOf(rows)) print(line);
}

/** The entry, the page, its chart, and what these import. */
function ofOverview(contents: ReadonlyMap<string, Buffer>): string[] {
  const found = new Set<string>();
  const load = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const text = contents.get(name)!.toString();
    for (const [, part] of text.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g)) load(part!);
  };
  for (const name of contents.keys()) {
    if (/^(app\.js|overview-page-|line-plot-|many-devices-)/.test(name)) load(name);
  }
  return [...found];
}

function row(
  name: string,
  files: readonly string[],
  contents: ReadonlyMap<string, Buffer>,
): string[] {
  const sum = (sizeOf: (content: Buffer) => number) =>
    String(files.reduce((total, each) => total + sizeOf(contents.get(each)!), 0));
  return [
    name,
    String(files.length),
    sum(({ length }) => length),
    sum((content) => gzipSync(content, { level: 9 }).length),
    sum((content) => brotliCompressSync(content).length),
  ];
}
