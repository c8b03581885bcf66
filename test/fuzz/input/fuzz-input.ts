// Sends the texts of `HostileText` to every entrance of a coordinator and checks the answers: none is a
// fault, every refusal says why, every connection gets a reason before it ends, and the process goes on.

import { WebSocket } from 'ws';
import { Prng } from '../../../src/simulator/prng.ts';
import { HostileText } from './hostile-text.ts';

export interface FuzzOutcome {
  readonly cases: number;
  /** How often each kind of answer came. */
  readonly answers: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  /** Of the event loop of this process, sender included, in processor time. */
  readonly longestTurnMs: number;
  readonly peakMb: number;
}

/** A case that takes longer counts as hanging. */
const patienceMs = 20_000;
/** Close codes of a coordinator that failed at a frame, and of a line that was cut. */
const faultCodes = new Set([1006, 1011]);

export async function fuzzInput(url: string, seed: number, cases: number): Promise<FuzzOutcome> {
  const fuzzer = new InputFuzzer(url);
  await fuzzer.register();
  const meter = meterTurns();
  for (let i = 0; i < cases; i++) await fuzzer.play(new Prng(seed * 1_000_003 + i), `${seed}/${i}`);
  return { cases, answers: fuzzer.answers, faults: fuzzer.faults, ...meter.stop() };
}

class InputFuzzer {
  readonly answers: Record<string, number> = {};
  readonly faults: string[] = [];
  private readonly url: string;
  private workerPath = '';
  private headers: Record<string, string> = {};

  constructor(url: string) {
    this.url = url;
  }

  async register(): Promise<void> {
    const answer = await fetch(`${this.url}/api/workers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'pc', platform: 'linux' }),
    });
    const known = (await answer.json()) as { worker_id: string; worker_token: string };
    this.workerPath = `/api/workers/${known.worker_id}`;
    this.headers = { authorization: `Bearer ${known.worker_token}` };
  }

  async play(chance: Prng, name: string): Promise<void> {
    const text = new HostileText(chance);
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.faults.push(`${name}: no answer for ${patienceMs / 1000} seconds`);
        resolve();
      }, patienceMs);
    });
    try {
      await Promise.race([
        hangs,
        chance.chance(0.5) ? this.call(chance, text, name) : this.talk(chance, text, name),
      ]);
      const { status } = await fetch(`${this.url}/healthz`);
      if (status !== 200) this.faults.push(`${name}: /healthz answers ${status}`);
    } catch (error) {
      this.faults.push(`${name}: ${String(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }

  private async call(chance: Prng, text: HostileText, name: string): Promise<void> {
    const path = chance.pick([
      '/api/jobs',
      '/api/jobs',
      '/api/workers',
      '/api/scheduler/config',
      ...['heartbeat', 'claim', 'report', 'report'].map((call) => `${this.workerPath}/${call}`),
    ]);
    const isLines = path === '/api/jobs' && chance.chance(0.4);
    const bytes = isLines ? text.lines() : text.body(path);
    const type = isLines ? 'application/x-ndjson' : 'application/json';
    const answer = await fetch(`${this.url}${path}`, {
      method: path.endsWith('config') ? 'PUT' : 'POST',
      headers: { 'content-type': type, ...this.headers },
      ...inPieces(bytes, chance),
    });
    const told = await answer.text();
    this.count(`${answer.status}`);
    if (answer.status >= 500) this.faults.push(`${name}: ${path} answers ${answer.status} ${told}`);
    if (answer.status < 400) return;
    const { detail } = JSON.parse(told) as { detail: unknown };
    if (typeof detail !== 'string' || detail.length > 2000) {
      this.faults.push(`${name}: ${path} explains with ${told.slice(0, 200)}`);
    }
  }

  private async talk(chance: Prng, text: HostileText, name: string): Promise<void> {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/api/workers/connect`);
    socket.on('error', () => {});
    socket.on('message', (data) => {
      for (const message of [JSON.parse((data as Buffer).toString()) as { type: string }].flat()) {
        this.count(message.type);
      }
    });
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve).once('close', resolve));
    const hello = {
      type: 'hello',
      protocol: 1,
      device: { type: 'pc', platform: 'x' },
      attempts: [],
    };
    if (chance.chance(0.7)) {
      socket.send(JSON.stringify(hello));
      await new Promise((resolve) => socket.once('message', resolve).once('close', resolve));
    } else if (chance.chance(0.5)) socket.send(text.hello(), { binary: false });
    const frames = chance.integer(1, 6);
    for (let i = 0; i < frames && socket.readyState === WebSocket.OPEN; i++) {
      sendFrame(socket, text.frame(), chance);
    }
    // Everything before it has been read when this is answered, or the connection has ended.
    socket.send('{"type":"bye","reason":"done"}');
    const code = await closed;
    this.count(`closed ${code}`);
    if (faultCodes.has(code)) this.faults.push(`${name}: the socket was closed with ${code}`);
  }

  private count(answer: string): void {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
  }
}

/** Whole, or in parts, between which others come. */
function sendFrame(socket: WebSocket, frame: Buffer, chance: Prng): void {
  if (!chance.chance(0.3)) return socket.send(frame, { binary: false });
  const cut = chance.integer(0, frame.length);
  socket.send(frame.subarray(0, cut), { binary: false, fin: false });
  socket.ping();
  socket.send(frame.subarray(cut), { binary: false, fin: true });
}

/** With its length in the head, or in pieces of which nobody knows how many there are. */
function inPieces(bytes: Buffer, chance: Prng): RequestInit {
  if (chance.chance(0.6)) return { body: new Uint8Array(bytes) };
  const pieceBytes = Math.max(1, Math.ceil(bytes.length / chance.integer(1, 20)));
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + pieceBytes));
      else controller.close();
      at += pieceBytes;
    },
  });
  return { body, duplex: 'half' } as RequestInit;
}

function meterTurns() {
  let longestTurnMs = 0;
  let peakMb = 0;
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const used = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longestTurnMs = Math.max(longestTurnMs, (used.user + used.system) / 1000);
    peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1e6);
  }, 2);
  return {
    stop() {
      clearInterval(timer);
      return { longestTurnMs: Math.round(longestTurnMs), peakMb: Math.round(peakMb) };
    },
  };
}
