// Poolers between, played: the way to the server says another number for its process, as pgbouncer does.

import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { batch, jobRow, startAt } from '../../conformance/rows.ts';
import { openPostgresStore } from '../open.ts';
import { makeSchema } from '../testing/schemas.ts';
import { parseAddress } from './address.ts';
import { areShared, refuseTransactionPooler } from './pooler.ts';
import { connect, isBehindPooler, isKnown } from './session.ts';

const asks = (...pids: number[]) => {
  let asked = 0;
  return async () => pids[asked++ % pids.length]!;
};

describe('connections', () => {
  test('are their own where each has one process, which the other has not', async () => {
    expect(await areShared(asks(11), asks(12))).toBe(false);
  });

  test('are shared where both have the same', async () => {
    expect(await areShared(asks(11), asks(11))).toBe(true);
  });

  test('are shared where the process changes, at once or later', async () => {
    expect(await areShared(asks(11, 12), asks(13))).toBe(true);
    expect(await areShared(asks(11), asks(12, 12, 12, 13))).toBe(true);
    expect(await areShared(asks(11, 12, 13), asks(12, 13, 11))).toBe(true);
  });
});

test('what a pooler says of the process is not believed: a slow commit is not taken for one that nobody works on', async () => {
  const { schema, address } = await behindPooler();
  const client = await connect(parseAddress(address));
  onTestFinished(() => client.end());
  expect(isBehindPooler(client)).toBe(true);
  const { processID } = client as unknown as { processID: number };
  expect(await isKnown(parseAddress(address), processID)).toBe(true);
  await refuseTransactionPooler(client, parseAddress(address));
  const told: string[] = [];
  const store = await openPostgresStore(address, { onTrouble: (sentence) => told.push(sentence) });
  await store.load();
  await schema.ask(`create function slow() returns trigger language plpgsql as
    'begin perform pg_sleep(3); return new; end'`);
  await schema.ask(
    'create trigger slow before insert on jobs for each row execute function slow()',
  );
  await store.commit(batch({ jobs: [jobRow(1)] }), startAt);
  await store.close();
  expect(told).toEqual([]);
});

test('a server that is reached itself is none', async () => {
  const schema = makeSchema();
  onTestFinished(schema.remove);
  const client = await connect(parseAddress(schema.address));
  onTestFinished(() => client.end());
  expect(isBehindPooler(client)).toBe(false);
});

test('a pooler that has no second connection is told of as what it is', async () => {
  const { address } = await behindPooler({ most: 1 });
  await expect(openPostgresStore(address)).rejects.toMatchObject({
    code: 'store_unwritable',
    message: expect.stringMatching(
      /^A pooler .* no second one \(.+\); .*default_pool_size/,
    ) as string,
  });
});

/** One connection for each client, as in session mode. */
async function behindPooler({ most = Infinity } = {}) {
  const schema = makeSchema();
  const target = Number(new URL(schema.address).port);
  const open = new Set<Socket>();
  let given = 0;
  const server = createServer((near) => {
    if (++given > most) return void near.destroy();
    const far = connectTcp({ port: target, host: '127.0.0.1' });
    for (const socket of [near, far]) {
      open.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
    near.pipe(far);
    let isStarting = true;
    far.on('data', (bytes: Buffer) => {
      // BackendKeyData: K, twelve bytes, the process, a key.
      const at = isStarting ? bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12])) : -1;
      if (at >= 0) {
        isStarting = false;
        bytes.writeInt32BE(2_000_000_000, at + 5);
      }
      near.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    for (const socket of open) socket.destroy();
    await schema.remove();
  });
  const address = new URL(schema.address);
  address.port = String((server.address() as AddressInfo).port);
  return { schema, address: address.href };
}
