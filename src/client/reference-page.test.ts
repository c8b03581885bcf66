import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as sdk from './index.ts';

const page = readFileSync(new URL('../../docs/reference/sdk.md', import.meta.url), 'utf8');

test('the reference page names every call, every error and nothing that is not there', () => {
  const {
    url: _url,
    scheduler,
    evaluation,
    tokens,
    ...calls
  } = sdk.connect('http://127.0.0.1:8000');
  for (const name of Object.keys(calls)) expect(page).toMatch(new RegExp(`\\b${name}\\(`));
  for (const name of [scheduler, evaluation, tokens].flatMap(Object.keys)) {
    expect(page).toMatch(new RegExp(`\`(?:scheduler|evaluation|tokens)?\\.${name}\\(`));
  }
  for (const name of Object.keys(sdk)) expect(page).toContain(name);

  const known = new Set([...Object.keys(calls), 'connect']);
  const inTables = page.split('\n').filter((line) => /^\| `\w+\(/.test(line));
  const named = inTables.flatMap((line) => {
    const [, cell = ''] = line.split('|');
    return [...cell.matchAll(/`(\w+)\(/g)].map(([, name = '']) => name);
  });
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(15);
});
