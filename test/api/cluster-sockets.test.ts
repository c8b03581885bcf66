// The sockets of workers through a member that follows.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { TrunkDialer } from '../../src/cluster/trunk-dialer.ts';
import { TrunkLine } from '../../src/cluster/trunk-line.ts';
import { StoredTokens } from '../../src/coordinator/access/stored-tokens.ts';
import { CoordinatorInForce } from '../../src/coordinator/coordinator-in-force.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { withPin } from '../../src/transport/index.ts';
import { testCertificate } from '../support/test-certificate.ts';
import {
  clusterSecret,
  type Couple,
  type Member,
  startCouple,
  startMember,
  tokensOf,
} from './support/members.ts';
import { ScriptedWorker } from './support/scripted-worker.ts';

const path = '/api/workers/connect';
const addressOf = ({ url }: Pick<Member, 'url'>) => `${url.replace('http', 'ws')}${path}`;
const closing = (socket: WebSocket) =>
  new Promise<[number, string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, reason.toString()])),
  );

describe('of a real leader', () => {
  let couple: Couple;
  beforeEach(async () => {
    couple = await startCouple();
  });
  afterEach(() => couple.close());

  test('a worker is refused as the leader refuses it', async () => {
    const made = await couple.coordinator.tokens.create({ kind: 'admin' });
    expect(made.ok).toBe(true);
    for (const member of [couple.leader, couple.follower]) {
      const socket = new WebSocket(addressOf(member));
      const [, answer] = await once(socket, 'unexpected-response');
      const pieces: Buffer[] = [];
      for await (const piece of answer) pieces.push(piece as Buffer);
      const body = JSON.parse(Buffer.concat(pieces).toString()) as { code: string };
      expect([answer.statusCode, body.code, answer.headers['www-authenticate']]).toEqual([
        401,
        'unauthorized',
        'Bearer',
      ]);
    }
    expect(couple.follower.server.workerSockets).toBe(0);
  });

  test('a worker that breaks the protocol is told so in the words of the leader', async () => {
    const told: unknown[] = [];
    for (const member of [couple.leader, couple.follower]) {
      const socket = new WebSocket(addressOf(member));
      await once(socket, 'open');
      const message = once(socket, 'message');
      const closed = closing(socket);
      socket.send('[{"type":"ping"}]');
      told.push([(await message)[0].toString(), await closed]);
    }
    expect(told[1]).toEqual(told[0]);
  });

  test('under TLS at both members it is the same, and so is a trunk', async () => {
    const credentials = () => ({ current: testCertificate(), onChange: () => {} });
    const own = credentials();
    const leader = await startMember('secure', couple.coordinator, { credentials: own });
    const member = await startMember('five', undefined, { credentials: credentials() });
    leader.cluster.lead('term-5');
    const place = { ...leader.place('term-5'), url: withPin(leader.url, own.current.pin) };
    member.cluster.follow(place);
    const socket = new WebSocket(addressOf(member), { rejectUnauthorized: false });
    await once(socket, 'open');
    expect([member.server.workerSockets, leader.server.workerSockets]).toEqual([1, 0]);
    const message = once(socket, 'message');
    const closed = closing(socket);
    socket.send('[{"type":"ping"}]');
    expect((await message)[0].toString()).toContain('no message of the type');
    expect((await closed)[0]).toBe(1008);
    const told: string[] = [];
    const line = new TrunkLine({
      place,
      dialer: new TrunkDialer(place.url, clusterSecret),
      member: 'five',
      version: '1.2.3',
      onOpen: () => told.push('open'),
      onReset: () => told.push('reset'),
      onRefused: () => told.push('refused'),
      onUndecided: (reason) => told.push(reason),
      onMeets: () => told.push('meets'),
      retryMs: 50,
    });
    await expect.poll(() => told).toEqual(['open']);
    await expect.poll(() => leader.server.trunks).toEqual(['five']);
    leader.cluster.follow(null);
    await expect.poll(() => told.slice(0, 4)).toEqual(['open', 'reset', 'meets', 'refused']);
    line.close();
    await member.server.close();
    await leader.server.close();
  });

  test('it is told to come again when the member stops', async () => {
    const worker = await ScriptedWorker.connect(couple.follower.url, () => undefined);
    await couple.follower.server.close();
    expect(await worker.closed).toBe(1001);
  });

  test('it is told to come again when another member leads', async () => {
    const worker = await ScriptedWorker.connect(couple.follower.url, () => undefined);
    couple.follower.cluster.follow({ ...couple.leader.place('term-2'), member: 'three' });
    expect(await worker.closed).toBe(1001);
    await expect.poll(() => couple.follower.server.workerSockets).toBe(0);
  });
});

/** Whoever comes is unknown at such a member, and is shown to the leader. */
function knowingNobody(): CoordinatorInForce {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const areNeeded = () => true;
  const tokens = new StoredTokens({ store, runtime: createRealRuntime(), areNeeded });
  return new CoordinatorInForce(tokensOf({ tokens }));
}

describe('of a leader that a test plays', () => {
  let follower: Member;
  let leader: Server;
  let sockets: WebSocketServer;
  let connections: Duplex[];

  beforeEach(async () => {
    connections = [];
    leader = createServer();
    sockets = new WebSocketServer({ noServer: true });
    leader.on('upgrade', (request, socket, head) => {
      connections.push(socket);
      sockets.handleUpgrade(request, socket, head, (opened) =>
        sockets.emit('connection', opened, request),
      );
    });
    leader.listen(0, '127.0.0.1');
    await once(leader, 'listening');
    const { port } = leader.address() as AddressInfo;
    follower = await startMember('two', knowingNobody(), { holdMs: 500 });
    follower.cluster.follow({ url: `http://127.0.0.1:${port}`, term: 'term-1', member: 'one' });
  });
  afterEach(async () => {
    await follower.server.close();
    for (const socket of connections) socket.destroy();
    leader.close();
  });

  async function joined(headers = {}): Promise<[WebSocket, WebSocket, Record<string, unknown>]> {
    const met = once(sockets, 'connection');
    const worker = new WebSocket(addressOf(follower), ['one', 'two'], { headers });
    await once(worker, 'open');
    const [served, request] = await met;
    onTestFinished(() => worker.terminate());
    return [worker, served as WebSocket, request.headers];
  }

  test('who it is and what it speaks is between worker and leader', async () => {
    const [worker, , headers] = await joined({
      authorization: 'Bearer own',
      'x-muster-known': '1',
    });
    expect(headers).toMatchObject({
      authorization: 'Bearer own',
      'sec-websocket-protocol': 'one,two',
      'x-forwarded-for': '127.0.0.1',
    });
    expect(headers).not.toHaveProperty('x-muster-known');
    expect([worker.protocol, worker.extensions]).toEqual(['one', '']);
  });

  test('frames, pings, codes and reasons go by as they are', async () => {
    const [worker, served] = await joined();
    const large = randomBytes(5_000_000);
    const there = once(served, 'message');
    worker.send(large);
    expect(Buffer.compare((await there)[0] as Buffer, large)).toBe(0);
    const back = once(worker, 'message');
    served.send('text é');
    const [text, isBinary] = await back;
    expect([(text as Buffer).toString(), isBinary]).toEqual(['text é', false]);
    const pong = once(worker, 'pong');
    worker.ping('sign');
    expect((await pong)[0].toString()).toBe('sign');
    const closed = closing(worker);
    served.close(4321, 'why not');
    expect(await closed).toEqual([4321, 'why not']);
  });

  test('a worker that ends with a reason tells it to the leader', async () => {
    const [worker, served] = await joined();
    const closed = closing(served);
    worker.close(4000, 'enough');
    expect(await closed).toEqual([4000, 'enough']);
  });

  test('what a worker has said last reaches a leader that is slow', async () => {
    const [worker, served] = await joined();
    const lengths: number[] = [];
    served.pause();
    served.on('message', (data: Buffer) => lengths.push(data.length));
    const closed = closing(served);
    for (let i = 0; i < 3; i++) worker.send(Buffer.alloc(2_000_000));
    worker.close(4000, 'enough');
    setTimeout(() => served.resume(), 200);
    expect(await closed).toEqual([4000, 'enough']);
    expect(lengths).toEqual([2_000_000, 2_000_000, 2_000_000]);
  });

  test('what neither side reads is not taken from the other', async () => {
    const [worker, served] = await joined();
    const piece = Buffer.alloc(1024 * 1024);
    const most = 200;
    worker.pause();
    for (let i = 0; i < most; i++) served.send(piece);
    await expect.poll(() => served.bufferedAmount).toBeGreaterThan(0);
    // What lies between them is some megabytes in buffers of the system.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(served.bufferedAmount).toBeGreaterThan((most / 2) * piece.length);
    let received = 0;
    worker.on('message', () => received++);
    worker.resume();
    await expect.poll(() => received, { timeout: 20_000 }).toBe(most);
  });

  test('a leader that is gone between two frames is told as such', async () => {
    const [worker, served] = await joined();
    const heard = once(worker, 'message');
    served.send('one');
    await heard;
    const closed = closing(worker);
    connections[0]!.destroy();
    expect(await closed).toEqual([1001, 'the leader of the cluster is gone']);
  });

  test('a leader that is gone amid a frame takes the connection with it', async () => {
    const [worker] = await joined();
    const closed = closing(worker);
    connections[0]!.write(Buffer.from([0x81, 100, 65]));
    setTimeout(() => connections[0]!.destroy(), 50);
    expect((await closed)[0]).toBe(1006);
  });

  test('a worker that vanishes is gone at the leader', async () => {
    const [worker, served] = await joined();
    const closed = closing(served);
    worker.terminate();
    expect((await closed)[0]).toBe(1006);
    await expect.poll(() => follower.server.workerSockets).toBe(0);
  });

  test('nobody leads: it is told to come again', async () => {
    follower.cluster.follow(null);
    const socket = new WebSocket(addressOf(follower));
    const [, answer] = await once(socket, 'unexpected-response');
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
    answer.destroy();
  });
});
