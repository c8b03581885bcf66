// A coordinator whose log goes nowhere any more: who collected it has ended, or its disk is full.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, MusterProcess } from '../support/muster-process.ts';

interface Ready {
  readonly url?: string;
}

test('goes on when nobody reads its log any more, and ends as usual when it is told to', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-lost-log-'));
  const args = ['serve', '--port', '0', '--data-dir', folder, '--log-level', 'debug'];
  const server = new MusterProcess(args, { folder });
  const url = await server.line((line) => (JSON.parse(line) as Ready).url);
  server.stopReading();
  const job = {
    program: { kind: 'javascript', source: 'export default (n) => n' },
    inputs: [1, 2],
  };
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${url}/api/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(job),
    });
    expect(answer.status).toBe(201);
    // Refused, which is logged.
    expect((await fetch(`${url}/api/jobs/nobody`)).status).toBe(404);
  }
  await eventually(
    async () => (await (await fetch(`${url}/api/stats`)).json()) as { total_jobs: number },
    ({ total_jobs: jobs }) => jobs === 3,
  );
  server.signal('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
});
