// A coordinator that cannot start says why, ends with 5, and disturbs nobody.

import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import type { MusterProcess } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';

/** Keys for jobs are reserved before anything is served; a start that fails may leave them unused. */
const allButReservedKeys =
  'select id, generation, sequence, last_commit_at, next_worker_key, config from meta';

test('a taken port', async () => {
  const cluster = await Cluster.start();
  await cluster.stop();
  const before = cluster.query(allButReservedKeys);
  const other = createServer();
  onTestFinished(() => void other.close());
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;

  expect(await endOf(cluster.serveArgs(['--port', String(port)]))).toEqual(
    refused(
      `Port ${port} on 127.0.0.1 is taken by another program. Choose another port, or 0 for any free one.`,
    ),
  );
  expect(cluster.query(allButReservedKeys)).toEqual(before);
  await cluster.serve();
});

test('a port that is taken by a coordinator, which goes on', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const { port } = new URL(cluster.url);
  const elsewhere = ['serve', '--data-dir', 'elsewhere', '--port', port];
  const reader = await beginJob(cluster);
  expect(await endOf(cluster.run(elsewhere))).toEqual(
    refused(`Port ${port} on 127.0.0.1 is taken`),
  );
  await expectJobGoesOn(reader);
});

test('a store that another coordinator has open, which goes on', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const reader = await beginJob(cluster);
  const who = process.platform === 'linux' ? ` (process ${cluster.coordinator.pid})` : '';
  expect(await endOf(cluster.serveArgs(['--port', '0']))).toEqual(
    refused(`Another coordinator${who} has ${cluster.storePath} open. Use that one, end it`),
  );
  await expectJobGoesOn(reader);
});

test.runIf(process.platform === 'linux')(
  'a data folder that cannot come to be, which is refused instead of tried for ever',
  async () => {
    const cluster = await Cluster.start();
    const sentence = 'The folder /proc/muster cannot be made (ENOENT';
    expect(
      await endOf(cluster.run(['serve', '--port', '0', '--data-dir', '/proc/muster'])),
    ).toEqual(refused(sentence));
    const worker = cluster.run(['worker', cluster.url, '--state-dir', '/proc/muster/worker']);
    expect(await endOf(worker)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('The folder /proc/muster/worker cannot be made (ENOENT'),
    });
  },
);

test('a place for the store where nothing can be written', async () => {
  const cluster = await Cluster.start();
  const place = join(cluster.storePath, 'below-a-file.db');
  expect(await endOf(cluster.run(['serve', '--port', '0', '--store', `sqlite:${place}`]))).toEqual(
    refused(`The database ${place} cannot be opened for writing`),
  );
});

test('an address of another machine', async () => {
  const cluster = await Cluster.start();
  const everywhere = ['--data-dir', 'elsewhere', '--port', '0', '--host', '0.0.0.0'];
  expect(await endOf(cluster.run(['serve', ...everywhere]))).toEqual(
    refused(
      'Refused to listen on 0.0.0.0: without tokens the coordinator serves this machine only.',
    ),
  );
});

async function endOf(process: MusterProcess): Promise<unknown> {
  return { ...(await process.ended), stdout: process.stdout, stderr: process.stderr };
}

/** The sentence comes first, and nowhere is there a stack trace. */
function refused(sentence: string): unknown {
  const stderr = new RegExp(`^\\{"level":60,[^\\n]*"msg":"${RegExp.escape(sentence)}[^\\n]*\\n$`);
  return { code: 5, signal: null, stdout: '', stderr: expect.stringMatching(stderr) };
}

async function beginJob({ client }: Cluster): Promise<ResultReader> {
  const job = await client.submit(squares(200, 5));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.read(20);
  return reader;
}

async function expectJobGoesOn(reader: ResultReader): Promise<void> {
  await reader.readAll();
  expectEveryResultOnce(reader.results, 200);
}
