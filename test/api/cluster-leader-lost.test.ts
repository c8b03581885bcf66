// The leader is gone before, amid or after a request that a follower passes on: what surely was not begun waits for
// the next one, and of anything else it is said that nobody knows.

import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import type { LeaderPlace } from '../../src/cluster/port.ts';
import { createCoordinator } from '../../src/coordinator/index.ts';
import { CoordinatorInForce } from '../../src/coordinator/coordinator-in-force.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import { StoreFault } from '../../src/store/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { gated } from '../support/gated-store.ts';
import type { Loose } from './support/live-server.ts';
import { type Couple, type Member, startCouple, startMember } from './support/members.ts';

const program = { kind: 'javascript', source: 'export default (n) => n' } as const;

type Answerer = (request: IncomingMessage, response: ServerResponse) => unknown;

let follower: Member;
let cleanups: (() => unknown)[];

beforeEach(async () => {
  cleanups = [];
  follower = await startMember('two', undefined, { holdMs: 1_500 });
});
afterEach(async () => {
  await follower.server.close();
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

/** A leader that does what a test says; it is not there before it is followed. */
async function leaderThat(answer: Answerer, term = 'term-1'): Promise<LeaderPlace> {
  const server = createServer((asked, response) => void answer(asked, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => end(server));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, term, member: 'one' };
}

function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** Where nobody listens. */
async function nobody(term: string): Promise<LeaderPlace> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return { url: `http://127.0.0.1:${port}`, term, member: 'nobody' };
}

interface Heard {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Loose;
}

function ask(method: string, path = '/api/jobs', body?: string, headers = {}): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const all = { ...headers, ...length };
    const asked = request(`${follower.url}${path}`, { method, agent: false, headers: all });
    asked.once('error', reject);
    asked.once('response', (answer) => {
      text(answer).then(
        (found) =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            body: found === '' ? undefined : JSON.parse(found),
          }),
        reject,
      );
    });
    asked.end(body);
  });
}

const stopping: Answerer = (asked, response) => {
  asked.resume();
  response.writeHead(503, { 'content-type': 'application/json', 'content-length': 40 });
  response.end(JSON.stringify({ detail: 'so', code: 'shutting_down' }).padEnd(40));
};
const echoing: Answerer = async (asked, response) => {
  const found = await text(asked);
  response.writeHead(201, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ method: asked.method, body: found }));
};
const unknown = {
  status: 503,
  body: {
    code: 'leader_changed',
    detail: 'It is not known whether this took effect; repeat it with the same Idempotency-Key.',
  },
};

test('nobody leads: it waits, and is told that nothing was done', async () => {
  const { status, headers, body } = await ask('POST', '/api/jobs', 'job');
  expect([status, headers['retry-after'], body.code]).toEqual([503, '1', 'shutting_down']);
  expect(body.detail).toMatch(/No coordinator of this cluster leads .* nothing was done/);
});

test('what waits goes to whoever leads next', async () => {
  const asked = ask('POST', '/api/jobs', 'job');
  await new Promise((resolve) => setTimeout(resolve, 50));
  follower.cluster.follow(await leaderThat(echoing));
  expect(await asked).toMatchObject({ status: 201, body: { method: 'POST', body: 'job' } });
});

test('what came to nobody goes to the next leader, however long it is', async () => {
  follower.cluster.follow(await nobody('term-1'));
  const long = 'x'.repeat(3_000_000);
  const asked = ask('PUT', '/api/blobs/a', long);
  const next = await leaderThat(echoing, 'term-2');
  setTimeout(() => follower.cluster.follow(next), 300);
  expect((await asked).body).toEqual({ method: 'PUT', body: long });
});

test('a leader that stops has not begun: the next one is sent the whole body again', async () => {
  follower.cluster.follow(await leaderThat(stopping));
  const body = 'y'.repeat(200_000);
  const asked = ask('POST', '/api/jobs', body);
  const next = await leaderThat(echoing, 'term-2');
  setTimeout(() => follower.cluster.follow(next), 300);
  expect((await asked).body).toEqual({ method: 'POST', body });
});

test('a leader that stops and is followed by nobody: nothing was done', async () => {
  follower.cluster.follow(await leaderThat(stopping));
  const { status, body } = await ask('DELETE', '/api/jobs/a');
  expect([status, body.code]).toEqual([503, 'shutting_down']);
});

test('more of a body than is kept is not sent again', async () => {
  follower.cluster.follow(
    await leaderThat(async (asked, response) => {
      await text(asked);
      stopping(asked, response);
    }),
  );
  const { status, body } = await ask('POST', '/api/jobs', 'z'.repeat(400_000));
  expect([status, body]).toEqual([503, { detail: 'so', code: 'shutting_down' }]);
});

test.each(['POST', 'PUT', 'DELETE'])(
  'a leader that breaks off before it answers: nobody knows what became of a %s',
  async (method) => {
    follower.cluster.follow(await leaderThat(({ socket }) => socket.destroy()));
    const answer = await ask(method, '/api/jobs', 'job');
    expect(answer).toMatchObject(unknown);
    expect(answer.headers['retry-after']).toBe('1');
  },
);

test.each(['GET', 'HEAD'])('a %s is asked again, of the next leader', async (method) => {
  follower.cluster.follow(await leaderThat(({ socket }) => socket.destroy()));
  const next = await leaderThat(echoing, 'term-2');
  const asked = ask(method);
  setTimeout(() => follower.cluster.follow(next), 100);
  expect((await asked).status).toBe(201);
});

test('a leader that was deposed while it read is no answer to a read, and one to anything else', async () => {
  const deposed: Answerer = (asked, response) => {
    asked.resume();
    const body = JSON.stringify({ detail: 'of the leader', code: 'leader_changed' });
    response.writeHead(503, { 'content-length': body.length }).end(body);
  };
  follower.cluster.follow(await leaderThat(deposed));
  expect((await ask('POST', '/api/jobs', 'job')).body.detail).toBe('of the leader');
  const reading = ask('GET');
  follower.cluster.follow(await leaderThat(echoing, 'term-2'));
  expect((await reading).status).toBe(201);
});

test.each(['store_deposed', 'store_lost_commits'] as const)(
  'a commit that fails as %s says that nobody knows, at every member',
  async (code) => {
    const gate = gated(openSqliteStore(':memory:'));
    const couple = await startCouple({}, gate.store);
    onTestFinished(() => couple.close());
    gate.override({
      commit: () => Promise.reject(new StoreFault(code, 'Another coordinator has taken over.')),
    });
    const json = JSON.stringify({ program, inputs: [1] });
    const headers = { 'content-type': 'application/json' };
    ({ follower } = couple);
    expect(await ask('POST', '/api/jobs', json, headers)).toMatchObject(unknown);
  },
);

test('a leader that says nothing is left when another one leads', async () => {
  let asked = 0;
  follower.cluster.follow(await leaderThat(() => asked++));
  const [reading, writing] = [ask('GET'), ask('POST', '/api/jobs', 'job')];
  await expect.poll(() => asked).toBe(2);
  follower.cluster.follow(await leaderThat(echoing, 'term-2'));
  expect((await reading).status).toBe(201);
  expect(await writing).toMatchObject(unknown);
});

test('whoever answers at the address of a leader whose trunk is broken is told nothing', async () => {
  let asked = 0;
  const impostor: Answerer = (_asked, response) => {
    asked++;
    response.writeHead(201).end('{}');
  };
  follower.cluster.follow(await leaderThat(impostor));
  follower.cluster.reach(false);
  const { status, body } = await ask('POST', '/api/jobs', 'job', { authorization: 'Bearer a' });
  expect([status, body.code]).toEqual([503, 'shutting_down']);
  expect(body.detail).toMatch(/none that is reached from here, and nothing was done/);
  expect(asked).toBe(0);
});

test('what waits for a trunk is passed on when it is there', async () => {
  follower.cluster.follow(await leaderThat(echoing));
  follower.cluster.reach(false);
  const asked = ask('POST', '/api/jobs', 'job');
  setTimeout(() => follower.cluster.reach(true), 50);
  expect((await asked).body).toEqual({ method: 'POST', body: 'job' });
});

test('connections are kept as long as there is a trunk, and made anew when it was away', async () => {
  const ports = new Set<number | undefined>();
  follower.cluster.follow(
    await leaderThat(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end('{}');
    }),
  );
  for (let i = 0; i < 3; i++) await ask('GET');
  expect(ports.size).toBe(1);
  follower.cluster.reach(false);
  const asked = ask('GET');
  setTimeout(() => follower.cluster.reach(true), 50);
  await asked;
  await ask('GET');
  expect(ports.size).toBe(2);
});

test('an answer that breaks off breaks off here', async () => {
  follower.cluster.follow(
    await leaderThat((_asked, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('[1,', () => response.destroy());
    }),
  );
  await expect(ask('GET')).rejects.toThrow(/aborted/);
});

test('who leaves while it is waited for the leader is left there too', async () => {
  let closed: Promise<unknown> = Promise.reject(new Error('not asked'));
  closed.catch(() => {});
  const begun = Promise.withResolvers<void>();
  follower.cluster.follow(
    await leaderThat((asked) => {
      closed = once(asked.socket, 'close');
      begun.resolve();
    }),
  );
  const asked = request(`${follower.url}/api/jobs`, { agent: false });
  asked.on('error', () => {});
  asked.end();
  await begun.promise;
  asked.destroy();
  expect(await closed).toEqual([false]);
});

test('an answer that nobody reads is not read at the leader either', async () => {
  const piece = Buffer.alloc(64 * 1024);
  let written = 0;
  let isFull = false;
  follower.cluster.follow(
    await leaderThat((_asked, response) => {
      const write = () => {
        while (!response.destroyed) {
          written += piece.length;
          if (!response.write(piece)) break;
        }
      };
      response.on('drain', write);
      write();
      setInterval(() => (isFull = true), 200).unref();
    }),
  );
  const asked = request(`${follower.url}/api/jobs`, { agent: false });
  asked.on('error', () => {});
  const answered = once(asked, 'response');
  asked.end();
  await answered;
  onTestFinished(() => void asked.destroy());
  let before = -1;
  await expect
    .poll(
      () => {
        const hasStopped = isFull && written === before;
        before = written;
        return hasStopped;
      },
      { interval: 300, timeout: 20_000 },
    )
    .toBe(true);
  expect(written).toBeLessThan(100_000_000);
});

test('only so many wait: the others are told at once', async () => {
  // 2 000 may.
  const waiting = Array.from({ length: 2_100 }, () => ask('GET'));
  const first = await Promise.race(waiting);
  expect([first.status, first.body.code]).toEqual([503, 'shutting_down']);
  const all = await Promise.all(waiting);
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([503]));
});

test('a member that becomes the leader serves what waits', async () => {
  const store = openSqliteStore(':memory:');
  const inForce = new CoordinatorInForce();
  const member = await startMember('three', inForce);
  const muster = connect(member.url);
  const asked = muster.submit({ program, inputs: [1, 2] });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const coordinator = await createCoordinator({ store, runtime: createRealRuntime() });
  inForce.enter(coordinator);
  member.cluster.lead('term-2');
  expect((await asked).id).toMatch(/^[0-9a-f-]{36}$/);
  await coordinator.stop();
  await member.server.close();
  await store.close();
});

test('a member that becomes the leader serves what another one had not begun, too', async () => {
  const store = openSqliteStore(':memory:');
  const inForce = new CoordinatorInForce();
  follower = await startMember('three', inForce);
  follower.cluster.follow(await leaderThat(stopping));
  const asked = ask('POST', '/api/jobs', JSON.stringify({ program, inputs: [1] }), {
    'content-type': 'application/json',
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const coordinator = await createCoordinator({ store, runtime: createRealRuntime() });
  cleanups.push(
    () => store.close(),
    () => coordinator.stop(),
  );
  inForce.enter(coordinator);
  follower.cluster.lead('term-2');
  expect((await asked).status).toBe(201);
});

test('a client repeats with its key, and there is one job', async () => {
  const couple: Couple = await startCouple();
  onTestFinished(() => couple.close());
  // The answer to the first is lost together with its connection.
  let lost = 0;
  const between = await leaderThat((asked, response) => {
    const on = request(`${couple.leader.url}${asked.url}`, {
      method: asked.method,
      headers: asked.headers,
    });
    on.once('response', (answer) => {
      if (lost++ === 0) return void answer.resume().once('end', () => asked.socket.destroy());
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    asked.pipe(on);
  });
  follower.cluster.follow(between);
  const { id } = await connect(follower.url).submit({ program, inputs: [1] });
  expect(lost).toBeGreaterThan(1);
  const listed = await couple.coordinator.reads.stats();
  expect(listed.total_jobs).toBe(1);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
});
