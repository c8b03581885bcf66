// A member whose own clock is not that of the database: by which tokens end there is one thing, how long somebody waits here
// another.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { workAsMember } from '../../src/cli/process/working.ts';
import type { CoordinatorMessage } from '../../src/protocol/messages.ts';
import { joinPostgres } from '../../src/store/postgres/open.ts';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import { askStore } from '../support/stored-cluster.ts';
import { ScriptedWorker } from '../support/scripted-worker.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await makeServer();
});
afterAll(() => server.remove());

const welcome: CoordinatorMessage = {
  type: 'welcome',
  protocol: 1,
  worker_id: 'w',
  worker_token: 'own',
  heartbeat_interval_seconds: 5,
  lease_seconds: 15,
  drain: false,
  stop: [],
};

test.each(['behind', 'ahead'])(
  'workers wait five seconds for the next trunk, also where the clock of the database is an hour %s',
  async (direction) => {
    const schema = `clock_${direction}`;
    const address = inSchema(server.url, schema);
    const leader = await joinPostgres(address);
    onTestFinished(() => leader.close());
    await askStore(
      server.url,
      schema,
      `create function SCHEMA.clock_timestamp() returns timestamptz language sql as
        $$ select pg_catalog.clock_timestamp() ${direction === 'behind' ? '-' : '+'} interval '1 hour' $$`,
    );
    const trunks = await playLeader();
    const { position } = await leader.look();
    const id = '00000000-0000-7000-8000-000000000001';
    const { term, store } = await leader.takeOver(position, { id, url: trunks.url });
    onTestFinished(() => store.close());
    trunks.lead(term, id);
    const working = await workAsMember(
      address,
      {
        url: 'http://127.0.0.1:1',
        version: '1',
        mayLead: false,
        settings: {},
        workers: () => 0,
        lines: () => [],
      },
      {
        log: pino({ level: 'silent' }),
        make: () => Promise.reject(new Error('it never leads')),
        onEntered: () => undefined,
        onLeaving: () => undefined,
      },
    );
    onTestFinished(async () => {
      await working.leave();
      await working.close();
    });
    await expect.poll(() => working.cluster?.isReady).toBe(true);
    const worker = new ScriptedWorker({ name: 'w' });
    worker.life = { instance: 'i', connection: 1 };
    worker.connect({ sessions: working.inForce.sessions });
    await expect.poll(() => worker.inbox.map(({ type }) => type)).toEqual(['welcome']);
    worker.take();
    // Nobody answers the next try: there is no trunk until the patience ends.
    const lostAt = performance.now();
    trunks.refuse();
    await expect.poll(() => working.cluster?.isReady).toBe(false);
    await expect.poll(() => worker.closedFor).not.toBeNull();
    const waitedMs = performance.now() - lostAt;
    expect(waitedMs).toBeGreaterThan(4_500);
    expect(waitedMs).toBeLessThan(15_000);
  },
);

/** Greets whoever comes, and welcomes every worker. */
async function playLeader() {
  let greeting = '';
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(sockets, 'listening');
  const close = () => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
  };
  onTestFinished(close);
  sockets.on('connection', (socket: WebSocket) => {
    socket.send(greeting);
    socket.on('message', (data: Buffer) => {
      const records = JSON.parse(data.toString()) as unknown;
      if (!Array.isArray(records)) return;
      for (const [kind, n] of records as [string, number][]) {
        if (kind === 'in') socket.send(JSON.stringify([['out', n, welcome]]));
      }
    });
  });
  const { port } = sockets.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lead: (term: string, member: string) => {
      greeting = JSON.stringify({ trunk: 1, term, member, version: '1', role: 'leading' });
    },
    refuse: close,
  };
}
