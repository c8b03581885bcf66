import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { batch, completedRow, jobRow, startAt, taskRow } from '../conformance/rows.ts';
import { inspectDatabase } from './inspect.ts';
import { openPostgresStore } from './open.ts';
import { makeSchema, type TestSchema } from './testing/schemas.ts';

let schema: TestSchema;
beforeEach(() => {
  schema = makeSchema();
});
afterEach(() => schema.remove());

test('where a password is asked for and none is given, that is said, and the connection ends', async () => {
  const gone: Promise<unknown>[] = [];
  const server = createServer((socket: Socket) => {
    gone.push(once(socket, 'close'));
    const answers = [authentication(10, 'SCRAM-SHA-256\0\0'), authentication(11, 'r=1,s=1,i=1')];
    socket.on('data', () => socket.write(answers.shift() ?? ''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  const address = `postgres://nobody@127.0.0.1:${port}/nothing`;
  await expect(openPostgresStore(address)).rejects.toThrow('it asks for a password');
  await expect(inspectDatabase(address)).rejects.toThrow('it asks for a password');
  await Promise.all(gone);
  expect(gone).toHaveLength(2);
  server.close();
});

test('a database of before is brought up to date, with all that is in it, and that is said', async () => {
  const fresh = [0, 1, 2].map((index) => taskRow(1, index, { runBeforeMs: 0 }));
  const rows = batch({ jobs: [jobRow(1, { taskCount: 9 })], tasks: [completedRow(1, 3)] });
  const before = await openPostgresStore(schema.address);
  await before.commit(rows, startAt);
  await before.close();
  await schema.ask(
    'drop table dispatches; alter table workers drop column runtimes, drop column hands; delete from migrations where version > 1',
  );
  const told: string[] = [];
  const store = await openPostgresStore(schema.address, {
    onUpgrade: (sentence) => told.push(sentence),
  });
  expect(told).toEqual([
    expect.stringContaining('dispatches (schema 2)'),
    expect.stringContaining('runtimes (schema 3)'),
  ]);
  await store.commit(batch({ sequence: 2, tasks: fresh }), startAt);
  expect((await store.load()).tasks.map(({ row }) => row)).toEqual(fresh);
  await store.close();
});

test('a role that may make no schema works in one that it was given', async () => {
  const { address, role } = await withRole();
  await schema.ask(`create schema ${schema.name} authorization ${role}`);
  expect(await inspectDatabase(address)).toMatchObject({ schemaVersion: 0 });
  for (let start = 1; start <= 2; start++) await (await openPostgresStore(address)).close();
});

test('a role that may make no schema is told so by a look and by a start', async () => {
  const { address, role } = await withRole();
  const sentence = `The role ${role} may not make the schema "${schema.name}"`;
  await expect(inspectDatabase(address)).rejects.toThrow(sentence);
  await expect(openPostgresStore(address)).rejects.toThrow(sentence);
});

test.each(['migrations', 'jobs'])(
  'a schema in which another program has a table %s is left alone',
  async (table) => {
    await schema.ask(`create schema ${schema.name}`);
    await schema.ask(`create table ${table} (id integer)`);
    const sentence = `has tables of something else ("${table}")`;
    await expect(openPostgresStore(schema.address)).rejects.toThrow(sentence);
    await expect(inspectDatabase(schema.address)).rejects.toThrow(sentence);
    expect(
      await schema.ask(`select relname from pg_class
      where relnamespace = '${schema.name}'::regnamespace`),
    ).toEqual([{ relname: table }]);
  },
);

/** An address with a role that may do nothing yet. */
async function withRole() {
  const role = schema.name.replace('test', 'role');
  await schema.ask(`create role ${role} login`);
  const address = new URL(schema.address);
  address.username = role;
  return { role, address: address.href };
}

/** A message of a server that wants SCRAM. */
function authentication(kind: number, text: string): Buffer {
  const message = Buffer.alloc(9);
  message.write('R');
  message.writeInt32BE(8 + text.length, 1);
  message.writeInt32BE(kind, 5);
  return Buffer.concat([message, Buffer.from(text)]);
}
