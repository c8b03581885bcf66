// What strangers can do to a coordinator that asks for tokens, under TLS: connections that only hold, in three
// waves of each kind; wrong tokens at full speed; slow and lying bodies; floods of registrations. All of it
// comes from one address, and so does somebody with a good token who asks and submits meanwhile.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { type TokenKind, writeToken } from '../src/protocol/token-text.ts';
import { cpuSeconds, memoryMb } from './cluster.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');
const held = 2_000;
const guesses = 100_000;
const atOnce = 64;
const waves = 3;

interface Target {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly joinToken: string;
}
type Print = (line: string) => void;
type Attack = (target: Target) => Promise<string>;

const attacks: readonly (readonly [string, number, Attack])[] = [
  ['nothing, to compare', 1, () => pause(3_000).then(() => '')],
  ['2 000 connections that say nothing', waves, ({ port }) => hold(() => openPlain(port, ''))],
  [
    '2 000 halves of a ClientHello',
    waves,
    ({ port }) => hold(() => openPlain(port, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')),
  ],
  ['2 000 whole handshakes and half a request', waves, ({ port }) => hold(() => openTls(port))],
  ['up to 100 000 wrong tokens of clients', 1, (target) => guess(target, 'client')],
  ['up to 100 000 wrong tokens of workers', 1, (target) => guess(target, 'worker')],
  ['up to 100 000 sessions that are none', 1, (target) => guess(target, 'session')],
  ['up to 20 000 upgrades with tickets that are none', 1, (target) => guess(target, 'ticket')],
  ['10 000 registrations with the join token', 1, (target) => register(target, target.joinToken)],
  ['10 000 registrations without one', 1, (target) => register(target, '')],
  ['500 bodies of a login, a byte a second', 1, ({ port }) => slowBodies(port)],
];

export async function benchStrangers(print: Print): Promise<void> {
  print(
    'memory MB before, most, after   CPU s   slowest /readyz, submission ms (failed)   seconds',
  );
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const token = makeToken(folder, 'admin');
  const joinToken = makeToken(folder, 'join');
  const args = ['serve', '--tls', 'self-signed', '--port', '0', '--data-dir', folder];
  const coordinator = spawn(process.execPath, [main, ...args, '--log-level', 'silent'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(createInterface({ input: coordinator.stdout }), 'line')) as [string];
  const { url, pid } = JSON.parse(line) as { url: string; pid: number };
  const probe = new Worker(new URL('./honest-probe.ts', import.meta.url), {
    workerData: { url, token },
  });
  try {
    await pause(3_000);
    const target = { url, port: Number(new URL(url).port), pid, joinToken };
    for (const [name, times, attack] of attacks) {
      print(`\n${name}`);
      for (let i = 0; i < times; i++) print(await measured(target, probe, attack));
    }
  } finally {
    await probe.terminate();
    coordinator.kill('SIGTERM');
    await once(coordinator, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(target: Target, probe: Worker, attack: Attack): Promise<string> {
  const { pid } = target;
  await answersOf(probe);
  const before = memoryMb(pid)!.now;
  const cpuBefore = cpuSeconds(pid)!;
  const startedAt = performance.now();
  let most = before;
  const looking = setInterval(() => (most = Math.max(most, memoryMb(pid)?.now ?? 0)), 50);
  const outcome = await attack(target);
  clearInterval(looking);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuSeconds(pid)! - cpuBefore;
  const { ready, submitted, failed } = await answersOf(probe);
  await pause(2_000);
  const memory = [before, most, memoryMb(pid)!.now].map((mb) => mb.toFixed(0)).join(', ');
  const slowest = `${ready.toFixed(0)}, ${submitted.toFixed(0)} (${failed})`;
  return `${memory}   ${cpu.toFixed(1)}   ${slowest}   ${seconds.toFixed(1)}   ${outcome}`;
}

interface Answers {
  readonly ready: number;
  readonly submitted: number;
  readonly failed: number;
}

async function answersOf(probe: Worker): Promise<Answers> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  probe.postMessage('');
  const [answers] = (await once(probe, 'message')) as [Answers];
  return answers;
}

function makeToken(folder: string, kind: string): string {
  const args = [main, 'token', 'create', '--kind', kind, '--data-dir', folder];
  return spawnSync(process.execPath, args).stdout.toString().trim();
}

async function hold(open: () => Socket): Promise<string> {
  const sockets: Socket[] = [];
  for (let i = 0; i < held; i++) {
    const socket = open();
    socket.on('error', () => {});
    sockets.push(socket);
    if (i % 50 === 49) await pause(20);
  }
  await pause(8_000);
  const left = sockets.filter(({ destroyed }) => !destroyed).length;
  for (const socket of sockets) socket.destroy();
  return `${left} were held`;
}

function openPlain(port: number, said: string): Socket {
  const socket = connectPlain(port, '127.0.0.1');
  if (said !== '') socket.write(said, 'latin1');
  return socket;
}

function openTls(port: number): Socket {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.write('GET /api/stats HTTP/1.1\r\nHost: ');
  return socket;
}

async function guess({ url }: Target, kind: TokenKind | 'session' | 'ticket'): Promise<string> {
  const [path, count] =
    kind === 'ticket' ? ['/api/workers/connect', guesses / 5] : ['/api/stats', guesses];
  return flood(count, url, path, 'GET', (i) => {
    const made = `${i}`.padStart(32, 'x');
    if (kind === 'session') return { cookie: `__Host-muster_session=${made}` };
    if (kind !== 'ticket') {
      const text = writeToken({ kind, id: made.slice(-8), secret: made });
      return { authorization: `Bearer ${text}` };
    }
    return {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': `muster, ticket.${made}`,
    };
  });
}

/** Of one kind of attack. */
const mostMs = 20_000;

function register({ url }: Target, token: string): Promise<string> {
  const body = JSON.stringify({ type: 'pc', platform: 'linux' });
  const shown = token === '' ? {} : { authorization: `Bearer ${token}` };
  const headers = { ...shown, 'content-type': 'application/json' };
  return flood(10_000, url, '/api/workers', 'POST', () => headers, body);
}

/**
 * Requests as fast as they are answered, and what was answered how often. Who guesses is cut after each guess, and may
 * come back so often only: after a while it is over.
 */
async function flood(
  count: number,
  url: string,
  path: string,
  method: string,
  headersOf: (i: number) => Record<string, string>,
  body = '',
): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce, rejectUnauthorized: false });
  const answered = new Map<string, number>();
  const note = (what: string) => answered.set(what, (answered.get(what) ?? 0) + 1);
  let next = 0;
  const end = performance.now() + mostMs;
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const asked = request(`${url}${path}`, { method, agent, headers: headersOf(next) });
      asked.on('response', (answer) => {
        note(`${answer.statusCode}`);
        answer.resume().on('close', () => resolve());
      });
      asked.on('error', () => {
        note('cut');
        resolve();
      });
      asked.end(body);
    });
  const sender = async () => {
    while (next++ < count && performance.now() < end) await one();
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  agent.destroy();
  return [...answered].map(([what, times]) => `${what}: ${times}`).join(', ');
}

async function slowBodies(port: number): Promise<string> {
  const sockets = Array.from({ length: 500 }, () => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    const head =
      'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n';
    socket.on('error', () => {}).write(`POST /api/session HTTP/1.1\r\n${head}`);
    return socket;
  });
  for (let i = 0; i < 15; i++) {
    await pause(1_000);
    for (const socket of sockets) if (!socket.destroyed) socket.write(' ');
  }
  const left = sockets.filter(({ destroyed }) => !destroyed).length;
  for (const socket of sockets) socket.destroy();
  return `${left} were held`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
