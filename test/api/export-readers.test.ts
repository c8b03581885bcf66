// Exports that are large: readers that read nothing hold what the limit allows, and another coordinator may take the
// place of the one that began.

import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CoordinatorInForce, createCoordinator } from '../../src/coordinator/index.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer } from '../../src/server/server.ts';
import { batch, completedRow, jobRow, startAt } from '../support/stored-rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually, type LiveServer, startLiveServer } from './support/live-server.ts';

const answerBytes = 300_000;
const jobs = 8;
const tasks = 1_000;
/** Together more than a connection holds. */
const name = 'n'.repeat(2_000);
/** Of 256 rows at most. */
const pieceBytes = 256 * 2_600;
const path = '/api/evaluation/attempts?format=ndjson';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({ answerBytes, connectionsPerToken: 100 }, await filled());
});
afterAll(() => live.close());

async function filled(): Promise<Store> {
  const store = openSqliteStore(':memory:');
  for (let key = 1; key <= jobs; key++) {
    const job = jobRow(
      key,
      { name, taskCount: tasks },
      { status: 'completed', completedAt: startAt },
    );
    const rows = Array.from({ length: tasks }, (_, index) => completedRow(key, index));
    await store.commit(batch({ sequence: key, jobs: [job], tasks: rows }), startAt);
  }
  return store;
}

test('twelve that never read hold what answer_bytes allows, and others are served', async () => {
  const open = new Set<ServerResponse>();
  const note = (_request: unknown, response: ServerResponse) => void open.add(response);
  live.server.app.server.on('request', note);
  const sockets = Array.from({ length: 12 }, () => ask(live.url));
  try {
    const list = () => live.call('GET', '/api/jobs');
    const { body } = await eventually(list, ({ status }) => status === 503);
    expect(body.code).toBe('busy');
    const held = [...open].reduce((sum, { writableLength }) => sum + writableLength, 0);
    expect(held).toBeLessThan(answerBytes + 8 * pieceBytes);
    expect((await live.call('GET', '/api/evaluation/attempts?limit=1')).status).toBe(200);
  } finally {
    live.server.app.server.off('request', note);
    for (const socket of sockets) socket.destroy();
  }
  // They have left: there is room again, and an answer comes to its end.
  const whole = () => fetch(`${live.url}${path}`);
  const answer = await eventually(whole, ({ status }) => status === 200);
  expect((await answer.text()).split('\n')).toHaveLength(jobs * tasks + 1);
});

test('goes on when another coordinator takes the place of the one that began it', async () => {
  const store = await filled();
  const inForce = new CoordinatorInForce();
  const log = pino({ level: 'silent' });
  const server = createServer({ coordinator: inForce, limits: defaultLimits, log });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const begin = async () => {
    const coordinator = await createCoordinator({ store, runtime: createRealRuntime() });
    inForce.enter(coordinator);
    return coordinator;
  };
  const one = await begin();
  const reader = (await fetch(`${url}${path}`))
    .body!.pipeThrough(new TextDecoderStream())
    .getReader();
  let text = (await reader.read()).value ?? '';
  await one.stop();
  inForce.leave(one);
  const other = await begin();
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
  expect(text).toBe(await (await fetch(`${url}${path}`)).text());
  expect(text.split('\n')).toHaveLength(jobs * tasks + 1);
  await other.stop();
  await server.close();
  await store.close();
});

/** Asks, and reads nothing. */
function ask(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}
