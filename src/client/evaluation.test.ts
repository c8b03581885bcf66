// The export of attempts comes as it is read, and never looks whole when it is not.

import { expect, test } from 'vitest';
import { clientOf, stream } from './testing/scripted-fetch.ts';

const line = (index: number) => `${JSON.stringify({ task_id: `j.${index}`, index })}\n`;

test('an export gives a row for each line, and asks for what is wanted', async () => {
  const { client, requests } = clientOf([
    stream([line(0) + line(1).slice(0, 5), line(1).slice(5)], false),
  ]);
  const since = new Date('2026-05-04T09:30:00Z');
  const rows = client.evaluation.exportAttempts({ jobId: 'j', workerId: 'w', since });
  expect((await Array.fromAsync(rows)).map(({ index }) => index)).toEqual([0, 1]);
  const { url, init } = requests[0]!;
  expect(new URL(url).pathname).toBe('/api/evaluation/attempts');
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    format: 'ndjson',
    job_id: 'j',
    worker_id: 'w',
    since: '2026-05-04T09:30:00.000Z',
  });
  expect(init.headers).toMatchObject({ accept: 'application/x-ndjson' });
});

test('an export that breaks off is an error of the connection, after the rows that came', async () => {
  const { client } = clientOf([stream([line(0)], true)]);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { index } of client.evaluation.exportAttempts()) seen.push(index);
  })();
  await expect(reading).rejects.toMatchObject({ reason: 'interrupted' });
  expect(seen).toEqual([0]);
});
