// Inputs made to stop everybody else, each against a coordinator of its own: the longest answer of
// `/healthz` meanwhile, the longest turn of its event loop in processor time (on a busy machine the first
// is longer), and what its memory grew by at most.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { type Cluster, memoryMb, startCluster } from './cluster.ts';
import { probeHealth } from './health-probe.ts';

const program = { kind: 'javascript', source: 'export default (n) => n' };
const hello = {
  type: 'hello',
  protocol: 1,
  device: { type: 'pc', platform: 'linux' },
  attempts: [],
};

interface Attack {
  readonly name: string;
  /** Makes the input before anything is measured. */
  readonly prepare: () => (url: string) => Promise<string>;
}

const attacks: readonly Attack[] = [
  { name: 'nothing at all, to compare', prepare: () => async () => 'nothing' },
  {
    name: 'body of 8 MB: texts of 307 digits',
    prepare: () => {
      const digits = JSON.stringify('1'.repeat(307));
      return submitter(`{"program":${JSON.stringify(program)},"inputs":[${list(digits, 26_000)}]}`);
    },
  },
  {
    name: 'body of 8 MB: four million inputs',
    prepare: () =>
      submitter(`{"program":${JSON.stringify(program)},"inputs":[${list('0', 4_100_000)}]}`),
  },
  {
    name: 'body of 8 MB: unknown fields',
    prepare: () => submitter(`{${Array.from({ length: 650_000 }, (_, i) => `"k${i}":0`).join()}}`),
  },
  {
    name: 'frame of 12 MB: a million messages before a hello',
    prepare: () => frames(null, `[${list('{"type":0}', 1_100_000)}]`),
  },
  {
    name: 'frame of 14 MB: a heartbeat nested 7 million deep',
    prepare: () => frames(hello, `{"type":"heartbeat","running":${nested(7_000_000)}}`),
  },
  {
    name: 'frame of 16 MB: a result nested 8 million deep',
    prepare: () => frames(hello, `{"type":"result","results":[{"value":${nested(8_000_000)}}]}`),
  },
  {
    name: 'frame of 15 MB: a heartbeat with 200 000 attempts',
    prepare: () => {
      const attempt = JSON.stringify({ task_id: 'job.1', attempt: 1.5, token: 'x'.repeat(20) });
      const beat = '"type":"heartbeat","heartbeat_id":1,"telemetry":{},"assign_sequence":0';
      return frames(hello, `{${beat},"running":[${list(attempt, 200_000)}]}`);
    },
  },
  {
    name: 'frame of 10 MB: 100 000 bad results',
    prepare: () => {
      const entry = JSON.stringify({
        task_id: 'j.1',
        attempt: 1,
        token: 't',
        value: 1,
        run_ms: -1,
      });
      return frames(hello, `{"type":"result","results":[${list(entry, 100_000)}]}`);
    },
  },
  {
    name: '2 000 registrations of 51 kB, and the list of all workers',
    prepare: () => {
      const labels = Object.fromEntries(
        Array.from({ length: 64 }, (_, i) => [`${i}`.padEnd(200, 'k'), 'v'.repeat(600)]),
      );
      const large = JSON.stringify({ type: 'pc', platform: 'linux', labels });
      return (url) => registerMany(url, large);
    },
  },
  {
    name: '2 000 registrations as large as they may be, and the list',
    prepare: () => {
      const labels = Object.fromEntries(
        Array.from({ length: 19 }, (_, i) => [`${i}`, 'v'.repeat(200)]),
      );
      const large = JSON.stringify({ type: 'pc', platform: 'linux', labels });
      return (url) => registerMany(url, large);
    },
  },
  {
    name: '1 500 bodies of which a byte comes now and then',
    prepare: () => heldBodies,
  },
];

export async function benchHostile(print: (line: string) => void): Promise<void> {
  print('longest /healthz ms   longest turn ms   memory grew by MB   what was answered');
  for (const { name, prepare } of attacks) {
    const attack = prepare();
    print(`\n${name}`);
    print(await measure(attack));
  }
}

async function measure(attack: (url: string) => Promise<string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const turns = join(folder, 'turns');
  const flags = ['--log-level', 'silent'];
  const meter = ['--import', join(import.meta.dirname, 'turn-meter.ts')];
  const cluster = await startCluster(0, flags, meter, { MUSTER_BENCH_TURNS: turns });
  let line: string;
  try {
    line = await measureIn(cluster, attack);
  } finally {
    await cluster.stop();
  }
  const turn = Number(readFileSync(turns, 'utf8')).toFixed(0).padStart(15);
  rmSync(folder, { recursive: true });
  return line.replace('{turn}', turn);
}

async function measureIn(
  cluster: Cluster,
  attack: (url: string) => Promise<string>,
): Promise<string> {
  await warmUp(cluster.url);
  process.kill(cluster.pid, 'SIGUSR2');
  await pause(100);
  const before = memoryMb(cluster.pid)?.now ?? 0;
  const probe = probeHealth(cluster.url);
  const answer = await attack(cluster.url);
  await pause(300);
  const longest = await probe.stop();
  process.kill(cluster.pid, 'SIGUSR2');
  await pause(300);
  const grown = (memoryMb(cluster.pid)?.peak ?? 0) - before;
  return `${longest.toFixed(0).padStart(19)}   {turn}   ${grown.toFixed(0).padStart(17)}   ${answer}`;
}

/** The first request of each kind is slow by itself, because schemas and code are prepared. */
async function warmUp(url: string): Promise<void> {
  for (let i = 0; i < 30; i++) {
    await (await fetch(`${url}/healthz`)).text();
    await submitter(JSON.stringify({ program, inputs: [1] }))(url);
    await submitter(JSON.stringify({ program, inputs: [1], unknown: 1 }))(url);
    await register(url, JSON.stringify({ type: 'pc', platform: 'linux', labels: { a: 'b' } }));
    await register(url, '{}');
    await frames(hello, '{"type":"heartbeat"}')(url);
    await frames(hello, '{"type":"result","results":[{"value":1}]}')(url);
  }
  for await (const _ of (await fetch(`${url}/api/workers`)).body!);
}

async function register(url: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/workers`, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

function submitter(text: string): (url: string) => Promise<string> {
  const body = Buffer.from(text);
  return async (url) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/jobs`, { method: 'POST', headers, body });
    return `${answer.status} ${shortened(await answer.text())}`;
  };
}

/** Frames without a mask, so that the sender is not what is measured. */
function frames(first: object | null, text: string): (url: string) => Promise<string> {
  const frame = Buffer.from(text);
  return async (url) => {
    const address = `${url.replace('http', 'ws')}/api/workers/connect`;
    const socket = new WebSocket(address, { generateMask: (mask) => mask.fill(0) });
    socket.on('error', () => {});
    let heard = 'nothing that could be read';
    socket.on('message', (data) => (heard = (data as Buffer).toString()));
    await once(socket, 'open');
    if (first !== null) {
      socket.send(JSON.stringify(first));
      await once(socket, 'message');
    }
    const ignored = (): void => {};
    const answered = Promise.race([once(socket, 'message'), once(socket, 'close')]).catch(ignored);
    socket.send(frame, { binary: false });
    await answered;
    socket.terminate();
    return shortened(heard);
  };
}

async function registerMany(url: string, body: string): Promise<string> {
  let status = 0;
  for (let i = 0; i < 2000; i++) status = await register(url, body);
  let bytes = 0;
  for await (const piece of (await fetch(`${url}/api/workers`)).body!) bytes += piece.length;
  return `the last one ${status}; the list has ${(bytes / 1e6).toFixed(1)} MB`;
}

async function heldBodies(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const head = 'POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json';
  const open: Socket[] = [];
  for (let i = 0; i < 1500; i++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(`${head}\r\nContent-Length: 8000000\r\n\r\n`);
    open.push(socket);
  }
  for (let i = 0; i < 10; i++) {
    await pause(200);
    for (const socket of open) socket.write(' ');
  }
  const held = open.filter(({ destroyed }) => !destroyed).length;
  for (const socket of open) socket.destroy();
  return `${held} are held`;
}

function list(item: string, count: number): string {
  return `${`${item},`.repeat(count - 1)}${item}`;
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

function shortened(text: string): string {
  return text.length <= 150 ? text : `${text.slice(0, 150)}…`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
