// `/openapi.json` under Redocly's recommended rules, from the package: nothing is sent anywhere.

import { type Config, createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let config: Config;
beforeAll(async () => {
  [live, config] = await Promise.all([
    startLiveServer(),
    createConfig({ extends: ['recommended'], telemetry: 'off' }),
  ]);
});
afterAll(() => live.close());

async function problemsOf(document: object): Promise<string[]> {
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ severity, ruleId, message, location }) =>
    [severity, ruleId, message, location[0]?.pointer].join(' '),
  );
}

test('no errors and no warnings', async () => {
  expect(await problemsOf(live.document.document)).toEqual([]);
});

test('a document with less is found out', async () => {
  const document: Loose = structuredClone(live.document.document);
  delete document.paths['/api/jobs'].post.operationId;
  delete document.security;
  const problems = await problemsOf(document);
  expect(problems).toContainEqual(expect.stringContaining('operation-operationId'));
  expect(problems).toContainEqual(expect.stringContaining('security-defined'));
});
