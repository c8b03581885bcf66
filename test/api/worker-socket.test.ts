import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({ frameBytes: 1_000_000, errorMessageCharacters: 100 });
});
afterAll(() => live.close());

const address = () => `${live.url.replace('http', 'ws')}/api/workers/connect`;
const hello = {
  type: 'hello',
  protocol: 1,
  device: { type: 'pc', platform: 'linux' },
  attempts: [],
};

interface Talk {
  readonly said: Loose[];
  readonly code: Promise<number>;
  say(frame: string | Buffer): void;
  hears(type: string): Promise<Loose>;
}

async function talk(options: object = {}): Promise<Talk> {
  const socket = new WebSocket(address(), options);
  const said: Loose[] = [];
  socket.on('message', (data) => said.push(...[JSON.parse((data as Buffer).toString())].flat()));
  socket.on('error', () => {});
  const code = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    said,
    code,
    say: (frame) => socket.send(frame),
    hears: async (type) => {
      const heard = async () => said.find((message) => message.type === type);
      return eventually(heard, (message) => message !== undefined);
    },
  };
}

describe('a connection that cannot be talked with is told why, and closed', () => {
  test.each<[string, string | Buffer, string]>([
    ['garbage', 'garbage {', 'JSON'],
    ['an empty frame', '', 'JSON'],
    ['a number', '5', 'object'],
    ['an array of numbers', '[1,2]', 'object'],
    ['a binary frame', randomBytes(100), 'binary'],
    ['a frame of deep nesting', '['.repeat(100_000), 'JSON'],
    [
      'a heartbeat instead of hello',
      '{"type":"heartbeat","heartbeat_id":1,"telemetry":{},"assign_sequence":0,"running":[]}',
      'hello',
    ],
    ['two hellos', JSON.stringify([hello, hello]), 'hello'],
    ['hello without a device', '{"type":"hello","protocol":1,"attempts":[]}', 'device'],
    ['hello with half an identity', JSON.stringify({ ...hello, worker_id: 'x' }), 'worker_token'],
    [
      'hello with too many slots',
      JSON.stringify({ ...hello, device: { ...hello.device, slots: 1e6 } }),
      'slots',
    ],
    ['hello of another protocol', JSON.stringify({ ...hello, protocol: 99 }), '99'],
  ])('%s', async (_name, frame, named) => {
    const worker = await talk();
    worker.say(frame);
    const error = await worker.hears('error');
    expect(error).toMatchObject({ fatal: true });
    expect(error.detail).toContain(named);
    await worker.code;
    expect(worker.said.some((message) => message.type === 'welcome')).toBe(false);
  });

  test('a second hello', async () => {
    const worker = await talk();
    worker.say(JSON.stringify(hello));
    await worker.hears('welcome');
    worker.say(JSON.stringify(hello));
    expect((await worker.hears('error')).fatal).toBe(true);
    expect(await worker.code).toBe(1008);
  });

  test.each([
    ['that answers no greeting', {}],
    ['that registers', { greeting: 1, worker_id: undefined, worker_token: undefined }],
  ])('a second hello %s', async (_name, said) => {
    const worker = await talk();
    worker.say(JSON.stringify(hello));
    const { worker_id, worker_token } = await worker.hears('welcome');
    worker.say(JSON.stringify({ ...hello, worker_id, worker_token, ...said }));
    expect((await worker.hears('error')).detail).toContain('but for one that answers "greet"');
    expect(await worker.code).toBe(1008);
  });

  test('a hello that counts its connections and does not say of which start', async () => {
    const worker = await talk();
    worker.say(JSON.stringify({ ...hello, connection: 1 }));
    expect((await worker.hears('error')).detail).toContain('both instance and connection');
    expect(await worker.code).toBe(1008);
  });

  test('a frame of 100 MB: cut off before it is taken in', async () => {
    const worker = await talk({ skipUTF8Validation: true });
    const before = process.memoryUsage().arrayBuffers;
    worker.say(Buffer.alloc(100 * 1024 * 1024, 0x20).toString('latin1'));
    expect([1006, 1009]).toContain(await worker.code);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(250 * 1024 * 1024);
  });

  test('half a frame, then nothing', async () => {
    const { hostname, port } = new URL(live.url);
    const socket = connect(Number(port), hostname);
    const lines = [
      'GET /api/workers/connect HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write(Buffer.from([0x81, 0xfe, 0x10, 0x00, 1, 2, 3, 4, 5, 6]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.on('error', () => {});
    socket.destroy();
    expect((await live.call('GET', '/readyz')).status).toBe(200);
  });

  test('an unmasked frame', async () => {
    const worker = await talk({ generateMask: () => {} });
    worker.say(JSON.stringify(hello));
    expect(await worker.hears('welcome')).toMatchObject({ protocol: 1 });
  });
});

test('what a hello has in the wrong place is told in the welcome, and costs nothing', async () => {
  const telemetry = { cpu_load_percent: 40, temperature: 70 };
  const misplaced = await talk();
  const device = { ...hello.device, lables: {}, telemetry };
  misplaced.say(JSON.stringify({ ...hello, device, telemetri: {} }));
  expect(await misplaced.hears('welcome')).toMatchObject({
    warnings: [
      'device.lables is not a known field; ignored.',
      'device.telemetry is not read here: telemetry stands beside device.',
      'telemetri is not a known field of hello; ignored.',
    ],
  });
  const right = await talk();
  right.say(JSON.stringify({ ...hello, telemetry }));
  const { worker_id: id, warnings } = await right.hears('welcome');
  expect(warnings).toEqual(['temperature is not a known measurement; ignored.']);
  const workers: Loose[] = (await live.call('GET', '/api/workers')).body;
  expect(workers.find((worker) => worker.id === id).telemetry).toEqual({ cpu_load_percent: 40 });
  const plain = await talk();
  plain.say(JSON.stringify(hello));
  expect(Object.keys(await plain.hears('welcome'))).not.toContain('warnings');
});

test('"`greet` … say `hello` again on this connection": it is welcome again, and the socket stays open', async () => {
  const worker = await talk();
  const life = { instance: randomBytes(16).toString('hex'), connection: 1 };
  worker.say(JSON.stringify({ ...hello, ...life }));
  const { worker_id, worker_token } = await worker.hears('welcome');
  const welcomes = async () => worker.said.filter(({ type }) => type === 'welcome');
  const known = { ...hello, worker_id, worker_token };
  const again = { ...known, ...life, connection: 2, greeting: 5 };
  const beat = {
    type: 'heartbeat',
    heartbeat_id: 3,
    telemetry: {},
    assign_sequence: 0,
    running: [],
  };
  worker.say(JSON.stringify([{ ...beat, heartbeat_id: 2 }, again, beat]));
  const [, second] = await eventually(welcomes, (all) => all.length === 2);
  expect(second).toMatchObject({ worker_id, stop: [] });
  expect(second).not.toHaveProperty('worker_token');
  expect(second).not.toHaveProperty('warnings');
  const ack = await worker.hears('ack');
  expect(ack.heartbeat).toMatchObject({ heartbeat_id: 3 });
  expect(worker.said.some(({ type }) => type === 'error')).toBe(false);
});

test('"Of one `instance` the highest `connection` counts, whichever comes first": the other is closed without a word', async () => {
  const [older, newer, late] = [await talk(), await talk(), await talk()];
  const instance = randomBytes(16).toString('hex');
  older.say(JSON.stringify({ ...hello, instance, connection: 1 }));
  const { worker_id, worker_token } = await older.hears('welcome');
  const known = { ...hello, worker_id, worker_token, instance };
  newer.say(JSON.stringify({ ...known, connection: 3 }));
  await newer.hears('welcome');
  expect(await older.code).toBe(1000);
  expect(older.said.map(({ type }) => type)).toEqual(['welcome']);
  late.say(JSON.stringify({ ...known, connection: 2 }));
  expect(await late.code).toBe(1000);
  expect(late.said).toEqual([]);
  newer.say(
    '{"type":"heartbeat","heartbeat_id":1,"telemetry":{},"assign_sequence":0,"running":[]}',
  );
  expect((await newer.hears('ack')).heartbeat).toMatchObject({ heartbeat_id: 1 });
});

test('a connection ends with its 20th message that cannot be taken', async () => {
  const worker = await talk();
  worker.say(JSON.stringify(hello));
  await worker.hears('welcome');
  worker.say(`[${Array(12).fill('{"type":"gossip"}').join()}]`);
  await worker.hears('error');
  expect(worker.said.filter(({ type }) => type === 'error')).toMatchObject([{ fatal: false }]);
  worker.say(`[${Array(1000).fill('{"type":0}').join()}]`);
  expect(await worker.code).toBe(1008);
  expect(worker.said.at(-1)).toMatchObject({
    fatal: true,
    detail: 'The connection ends with the 20th message that could not be taken.',
  });
  expect(worker.said).toHaveLength(4);
});

test('before its hello a connection may send no more than the longest hello', async () => {
  const small = await startLiveServer({ frameOutlineBytes: 1000 });
  const socket = new WebSocket(`${small.url.replace('http', 'ws')}/api/workers/connect`);
  const said: string[] = [];
  socket.on('message', (data) => said.push((data as Buffer).toString()));
  socket.once('open', () => socket.send(' '.repeat(1_000_000)));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(said.join()).toContain('The hello is larger than');
  await small.close();
});

test('frames are taken in their order, the long ones too', async () => {
  const server = await startLiveServer();
  const only = { labels: { order: 'yes' } };
  await server.submit([1], { requirements: only });
  const worker = await server.worker(() => undefined, { slots: 1, ...only });
  const [task] = await eventually(
    async () => worker.received.flatMap((each) => (each.type === 'assign' ? each.assignments : [])),
    (all) => all.length === 1,
  );
  const { task_id, attempt, token } = task!;
  const ref = { task_id, attempt, token };
  // The first takes many turns to read, and its state is the one that the others come after.
  const state = Array.from({ length: 400_000 }, (_, i) => i);
  const checkpoints = [{ ...ref, sequence: 1, progress: 0.5, state }];
  worker.sayText(JSON.stringify({ type: 'checkpoint', checkpoints }));
  worker.sayText(JSON.stringify({ type: 'result', results: [{ ...ref, value: 'done' }] }));
  const acked = await eventually(
    async () => worker.received.flatMap((each) => (each.type === 'ack' ? each.accepted : [])),
    (all) => all.length === 2,
  );
  expect(acked.map(({ kind }) => kind)).toEqual(['checkpoint', 'result']);
  await server.close();
});

describe('a message that breaks its schema does not end the connection', () => {
  test('"one bad entry does not spoil the others"', async () => {
    const only = { labels: { spoils: 'yes' } };
    const id = await live.submit([1, 2, 3], { requirements: only });
    const worker = await live.worker(() => undefined, { slots: 3, ...only });
    const assigned = () =>
      worker.received.flatMap((message) => (message.type === 'assign' ? message.assignments : []));
    const tasks = await eventually(
      async () => assigned(),
      (all) => all.length === 3,
    );
    const [one, two, three] = tasks.map(({ task_id, attempt, token }) => ({
      task_id,
      attempt,
      token,
    }));
    const results: Loose[] = [
      { ...one, value: 'good' },
      { ...two, value: 'bad', run_ms: -5 },
      { ...three },
      null,
      { ...three, attempt: 1.5, value: 1 },
      { ...three, value: 'DEEP' },
    ];
    // Only with an own `toJSON` does the engine write recursively.
    const deep = `${'[{"toJSON":1,"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
    worker.sayText(JSON.stringify({ type: 'result', results }).replace('"DEEP"', deep));
    const heard = (type: string) =>
      eventually(
        async () => worker.received.filter((message) => message.type === type) as Loose[],
        (all) => all.length > 0,
      );
    const [reject] = await heard('reject');
    expect(reject.rejected.map((entry: Loose) => [entry.task_id, entry.code])).toEqual([
      [two!.task_id, 'invalid_report'],
      [three!.task_id, 'invalid_report'],
      [three!.task_id, 'invalid_report'],
      [three!.task_id, 'invalid_report'],
    ]);
    expect(reject.rejected[0].detail).toContain('run_ms');
    expect(reject.rejected[1].detail).toContain('value');
    expect(reject.rejected[3].detail).toContain('nested');
    const [error] = await heard('error');
    expect(error).toMatchObject({ fatal: false });
    const [ack] = await heard('ack');
    expect(ack.accepted).toEqual([{ task_id: one!.task_id, attempt: 1, kind: 'result' }]);
    expect((await live.call('GET', `/api/jobs/${id}/results`)).body).toMatchObject([
      { task_id: one!.task_id, value: 'good' },
    ]);
    await live.call('POST', `/api/jobs/${id}/cancel`);
    worker.end();
  });

  test.each<[string, object]>([
    ['an unknown type', { type: 'gossip' }],
    ['a type that is no text', { type: 5 }],
    ['a type that is an object', { type: { type: 'hello' } }],
    ['results that are no array', { type: 'result', results: {} }],
    [
      'a heartbeat without attempts',
      { type: 'heartbeat', heartbeat_id: 1, telemetry: {}, assign_sequence: 0 },
    ],
    [
      'a heartbeat with a bad attempt',
      {
        type: 'heartbeat',
        heartbeat_id: 1,
        telemetry: {},
        assign_sequence: 0,
        running: [{ task_id: 1 }],
      },
    ],
    ['a bye without a reason', { type: 'bye' }],
    ['an inherited type', { type: 'toString' }],
    ['a prototype', { type: '__proto__' }],
  ])('%s', async (_name, message) => {
    const worker = await talk();
    worker.say(JSON.stringify(hello));
    await worker.hears('welcome');
    worker.say(JSON.stringify(message));
    expect((await worker.hears('error')).fatal).toBe(false);
    worker.say(
      '{"type":"heartbeat","heartbeat_id":7,"telemetry":{},"assign_sequence":0,"running":[]}',
    );
    expect((await worker.hears('ack')).heartbeat.heartbeat_id).toBe(7);
    worker.say('{"type":"bye","reason":"done"}');
    await worker.code;
  });

  test('"A value that is out of range or not a number is treated as missing … and named in `warnings`"', async () => {
    for (const telemetry of [
      { cpu_load_percent: 'hot', battery_level_percent: 500 },
      'nonsense',
      null,
      [1],
    ]) {
      const worker = await talk();
      worker.say(JSON.stringify(hello));
      await worker.hears('welcome');
      worker.say(
        JSON.stringify({
          type: 'heartbeat',
          heartbeat_id: 1,
          telemetry,
          assign_sequence: 0,
          running: [],
        }),
      );
      const { heartbeat } = await worker.hears('ack');
      if (!Array.isArray(telemetry) && typeof telemetry === 'object' && telemetry !== null) {
        expect(heartbeat.warnings.join()).toContain('cpu_load_percent');
        expect(heartbeat.warnings.join()).toContain('battery_level_percent');
      } else {
        expect(heartbeat.warnings).toEqual(['telemetry must be an object; ignored.']);
      }
      worker.say('{"type":"bye","reason":"done"}');
      await worker.code;
    }
  });

  test('a failure counts however much it has to say', async () => {
    const only = { labels: { wordy: 'yes' } };
    const id = await live.submit([1], { max_attempts: 1, requirements: only });
    await live.worker(() => ({ error: 'x'.repeat(5000) }), only);
    const { body } = await eventually(
      () => live.call('GET', `/api/jobs/${id}/results`),
      (answer) => answer.body.length > 0,
    );
    expect(body[0].error.message).toHaveLength(100);
  });
});

describe('the address', () => {
  test('without an upgrade it says what it speaks', async () => {
    const { status, body } = await live.call('GET', '/api/workers/connect');
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  test('"`Origin` and `Host` checked": a page from elsewhere gets no socket', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { host: 'evil.example' }]) {
      const socket = new WebSocket(address(), { headers });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const status = await new Promise((resolve) => {
        socket.on('unexpected-response', (_request, response) => {
          response.resume().on('end', () => socket.terminate());
          resolve(response.statusCode);
        });
        socket.on('error', () => {});
      });
      expect(status).toBe(403);
      expect(await closed).toBe(1006);
    }
  });

  test('no other address upgrades', async () => {
    const socket = new WebSocket(`${live.url.replace('http', 'ws')}/api/stats`);
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.on('error', () => {});
    });
    expect(status).toBe(200);
    socket.terminate();
  });
});

describe('at the end', () => {
  test('whatever was sent before, the coordinator works', async () => {
    const only = { labels: { healthy: 'yes' } };
    const id = await live.submit([20], { requirements: only });
    await live.worker(({ input }) => ({ value: Number(input) + 1 }), only);
    const results = () => live.call('GET', `/api/jobs/${id}/results`);
    const { body } = await eventually(results, (answer) => answer.body.length === 1);
    expect(body[0].value).toBe(21);
  });

  test('a server with open sockets, streams and refused ones closes without delay', async () => {
    const other = await startLiveServer();
    const id = await other.submit([1]);
    const stream = await fetch(`${other.url}/api/jobs/${id}/results?follow=true`);
    const url = `${other.url.replace('http', 'ws')}/api/workers/connect`;
    await new Promise((resolve) => new WebSocket(url).once('open', resolve));
    const refused = new WebSocket(url, { origin: 'https://evil.example' });
    await new Promise((resolve) =>
      refused.once('unexpected-response', resolve).on('error', () => {}),
    );
    const before = performance.now();
    await other.close();
    expect(await stream.text()).toBe('');
    expect(performance.now() - before).toBeLessThan(2500);
  });
});

test('a worker is given more than may wait for it at once, as fast as it reads', async () => {
  const own = await startLiveServer({ frameBytes: 200_000 });
  const socket = new WebSocket(`${own.url.replace('http', 'ws')}/api/workers/connect`);
  const given: number[] = [];
  const ended = new Promise<string>((resolve) => {
    socket.once('close', (code) => resolve(`closed with ${code}`));
    socket.on('message', (data) => {
      for (const message of [JSON.parse((data as Buffer).toString())].flat()) {
        for (const { index } of message.assignments ?? []) given.push(index as number);
      }
      if (given.length === 14) resolve('complete');
    });
  });
  await new Promise((resolve) => socket.once('open', resolve));
  await own.submit(Array(14).fill('x'.repeat(500_000)));
  socket.send(JSON.stringify({ ...hello, device: { ...hello.device, slots: 14 } }));
  expect(await ended).toBe('complete');
  expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, i) => i));
  socket.terminate();
  await own.close();
});
