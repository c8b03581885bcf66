// Links that let a device join: how they are made and shown, what one says of itself, and what comes of it.

import { encode } from 'uqr';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explain } from '../../src/cli/command-failure.ts';
import { createCommandTree } from '../../src/cli/command-tree.ts';
import { createTerminal } from '../../src/cli/text/terminal.ts';
import { parseJoinLink, writeJoinLink } from '../../src/protocol/join-link.ts';
import { qrRows } from '../../src/server/qr-code.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let admin: Record<string, string>;
beforeEach(async () => {
  live = await startLiveServer();
  const made = await live.coordinator.tokens.create({ kind: 'admin' });
  if (!made.ok) throw new Error('no token');
  admin = bearer(made.value.token);
});
afterEach(() => live.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const make = (json: object = {}) => live.call('POST', '/api/join-links', { json, headers: admin });
const tokenIn = (link: string) => {
  const found = parseJoinLink(link);
  if (typeof found === 'string') throw new Error(found);
  return found.token;
};
const register = (token: string) =>
  live.call('POST', '/api/workers', {
    json: { type: 'pc', platform: 'linux' },
    headers: bearer(token),
  });

interface Shown {
  readonly out: string;
  readonly notes: string;
}

/** `muster …` on a terminal of so many columns; null: into a pipe. */
async function muster(columns: number | null, ...args: string[]): Promise<Shown> {
  const shown = { out: '', notes: '' };
  const sink = (name: 'out' | 'notes') => ({
    ...(columns === null ? {} : { isTTY: true, columns }),
    write: (text: string) => {
      shown[name] += text;
      return true;
    },
    once: () => undefined,
  });
  const terminal = createTerminal(sink('out'), sink('notes'), { TERM: 'xterm' });
  const environment = { MUSTER_TOKEN: admin['authorization']!.slice(7) };
  const context = {
    terminal,
    folder: '.',
    environment,
    version: '0.0.0',
    exit: () => {},
    outliveReader: () => {},
  };
  try {
    const tree = createCommandTree(context);
    await tree.parseAsync([...args, '--url', live.url, '--token', environment.MUSTER_TOKEN], {
      from: 'user',
    });
  } catch (error) {
    shown.notes += explain(error).lines.join(' ');
  }
  return shown;
}

describe('a link', () => {
  test('is good for one device, for an hour, unless somebody asks for something else', async () => {
    const before = Date.now();
    const { status, body, headers } = await make();
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      kind: 'join',
      uses_left: 1,
      label: null,
      only_this_machine: true,
    });
    const left = Date.parse(body.expires_at) - before;
    expect(left).toBeGreaterThan(3_590_000);
    expect(left).toBeLessThan(3_610_000);
    const asked = { uses: 3, expires_in_seconds: 60, label: 'lab', worker_labels: { room: 'lab' } };
    expect((await make(asked)).body).toMatchObject({
      uses_left: 3,
      label: 'lab',
      worker_labels: { room: 'lab' },
    });
  });

  test('names the address that was asked for, and refuses what is none', async () => {
    const { body } = await make({ address: 'study.lan' });
    expect(body).toMatchObject({ address: `http://study.lan:${new URL(live.url).port}` });
    expect(body.link.startsWith(`${body.address}/join#t=mst_j_`)).toBe(true);
    const refused = await make({ address: 'a b' });
    expect(refused.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: 'address' }],
    });
  });

  test('tells who holds it what it is for, and is not used up by that', async () => {
    const { body } = await make({ label: 'lab', worker_labels: { room: 'lab' } });
    const headers = bearer(tokenIn(body.link));
    for (const _ of [1, 2]) {
      const told = await live.call('GET', '/api/join', { headers });
      expect(told.body).toMatchObject({
        id: body.id,
        label: 'lab',
        uses_left: 1,
        worker_labels: { room: 'lab' },
        coordinator_name: null,
      });
      expect(told.text).not.toContain(tokenIn(body.link).slice(15, 47));
    }
  });

  test('says what the coordinator is called, where somebody has said that', async () => {
    const called = await startLiveServer({}, undefined, {}, { coordinatorName: "Ann's lab" });
    await called.coordinator.tokens.create({ kind: 'admin' });
    const made = await called.coordinator.tokens.create({ kind: 'join' });
    if (!made.ok) throw new Error('no token');
    const headers = bearer(made.value.token);
    const { body } = await called.call('GET', '/api/join', { headers });
    expect(body.coordinator_name).toBe("Ann's lab");
    await called.close();
  });

  test('lets in as many devices as it may, however many come at once', async () => {
    const { body } = await make({ uses: 2 });
    const token = tokenIn(body.link);
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(token)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses.slice(0, 3)).toEqual([201, 201, 401]);
    expect((await live.call('GET', '/api/join', { headers: bearer(token) })).status).toBe(401);
  });

  test('has ended when it is taken back, and when its time is over', async () => {
    const { body } = await make();
    await live.call('DELETE', `/api/tokens/${body.id}`, { headers: admin });
    expect((await register(tokenIn(body.link))).status).toBe(401);
    const short = await make({ expires_in_seconds: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1_001));
    expect((await register(tokenIn(short.body.link))).status).toBe(401);
  });

  test('is nowhere told again', async () => {
    const { body } = await make({ label: 'lab' });
    const { body: worker } = await register(tokenIn(body.link));
    const secret = tokenIn(body.link).slice(15, 47);
    for (const path of ['/api/tokens', '/api/workers', `/api/workers/${worker.worker_id}`]) {
      expect((await live.call('GET', path, { headers: admin })).text).not.toContain(secret);
    }
  });
});

test('where nobody needs a token, who asks for help is told without one, and nothing else', async () => {
  const open = await startLiveServer({}, undefined, {}, { coordinatorName: "Ann's lab" });
  const { status, body } = await open.call('GET', '/api/join');
  expect([status, body]).toEqual([
    200,
    {
      coordinator_name: "Ann's lab",
      id: null,
      label: null,
      expires_at: null,
      uses_left: null,
      worker_labels: {},
      needs_approval: false,
    },
  ]);
  await open.close();
});

test('without tokens only this machine can join: it says how, and how to change that', async () => {
  const open = await startLiveServer();
  const { status, body } = await open.call('POST', '/api/join-links', { json: {} });
  expect([status, body.code]).toEqual([409, 'admin_token_first']);
  expect(body.detail).toContain(
    `Only this machine can join, and it needs no link: muster worker ${open.url}`,
  );
  expect(body.detail).toContain('--host 0.0.0.0 --tls self-signed');
  const stale = { authorization: 'Bearer mst_j_4k2m9x0b_Ub3gX0c1Pq7nW5sYd8mKfTjL2hRvZaEo_0z7k3qd' };
  expect((await open.call('GET', '/api/join', { headers: stale })).status).toBe(401);
  await open.close();
});

/** The modules of a code on a terminal, read from its half blocks; `1` is dark. */
function modulesOf(out: string): string[] {
  // oxlint-disable-next-line no-control-regex -- colours are control sequences
  const line = /^\u001b\[30m\u001b\[107m([ ▀▄█]+)\u001b\[49m\u001b\[39m$/;
  const lines = out.split('\n').flatMap((each) => line.exec(each)?.[1] ?? []);
  return lines.flatMap((text) => [
    Array.from(text, (each) => ('▀█'.includes(each) ? '1' : '0')).join(''),
    Array.from(text, (each) => ('▄█'.includes(each) ? '1' : '0')).join(''),
  ]);
}

/** What a QR code (versions 2 to 6, level L) says; a reader of its own, by ISO 18004. */
function textOfCode(rows: readonly string[]): string {
  const code = rows.slice(4, -4).map((row) => row.slice(4, -4));
  const size = code.length;
  const at = (y: number, x: number) => code[y]![x] === '1';
  const format = [0, 1, 2, 3, 4, 5, 7, 8]
    .map((x) => at(8, x))
    .concat([7, 5, 4, 3, 2, 1, 0].map((y) => at(y, 8)));
  const bits = format.reduce((sum, bit) => sum * 2 + Number(bit), 0) ^ 0b101010000010010;
  const mask = (bits >> 10) & 7;
  const masks = [
    (y: number, x: number) => (y + x) % 2,
    (y: number) => y % 2,
    (_: number, x: number) => x % 3,
    (y: number, x: number) => (y + x) % 3,
    (y: number, x: number) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2,
    (y: number, x: number) => ((y * x) % 2) + ((y * x) % 3),
    (y: number, x: number) => (((y * x) % 2) + ((y * x) % 3)) % 2,
    (y: number, x: number) => (((y + x) % 2) + ((y * x) % 3)) % 2,
  ];
  const align = size - 7;
  const isFunction = (y: number, x: number) =>
    (y < 9 && (x < 9 || x >= size - 8)) ||
    (y >= size - 8 && x < 9) ||
    y === 6 ||
    x === 6 ||
    (size > 21 && Math.abs(y - align) <= 2 && Math.abs(x - align) <= 2);
  const read: number[] = [];
  for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right--;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (!isFunction(y, x)) read.push(Number(at(y, x)) ^ Number(masks[mask]!(y, x) === 0));
      }
    }
  }
  expect(bits >> 13, 'level L').toBe(1);
  // Version 6 deals its 136 words to two blocks in turn.
  const words = Array.from({ length: Math.floor(read.length / 8) }, (_, i) =>
    read.slice(i * 8, i * 8 + 8),
  );
  const dealt = [0, 1].flatMap((block) =>
    words.slice(0, 136).filter((_word, i) => i % 2 === block),
  );
  const stream = (size === 41 ? dealt : words).flat();
  const number = (from: number, length: number) =>
    stream.slice(from, from + length).reduce((sum, bit) => sum * 2 + bit, 0);
  expect(number(0, 4), 'bytes').toBe(4);
  const bytes = Array.from({ length: number(4, 8) }, (_, i) => number(12 + i * 8, 8));
  return Buffer.from(bytes).toString();
}

describe('muster join', () => {
  test('prints the link, how to use it, how long and for how many it is good, and how to take it back', async () => {
    const { out, notes } = await muster(null, 'join', '--uses', '2', '--expires', '10m');
    const link = out.trim();
    const { id } = (await live.call('GET', '/api/join', { headers: bearer(tokenIn(link)) })).body;
    expect(notes).toContain(`muster worker '${link}'`);
    expect(notes).toMatch(/For 2 devices; ends in (?:10|9) min/);
    expect(notes).toContain(`muster token revoke ${id}`);
    expect(notes).toContain('Only this machine can join');
    expect(modulesOf(out)).toEqual([]);
  });

  test('draws the code of the link, dark on white with its margin', async () => {
    const { out } = await muster(100, 'join', '--address', 'https://muster.example.org');
    const [link = ''] = out.split('\n');
    expect(tokenIn(link)).toMatch(/^mst_j_/);
    const modules = modulesOf(out);
    const { data } = encode(link, { ecc: 'L', boostEcc: true, border: 4 });
    const expected = data.map((row) => row.map(Number).join(''));
    expect(modules.slice(0, expected.length)).toEqual(expected);
    // An odd number of rows: the half below is light.
    expect(modules.slice(expected.length).join('')).toMatch(/^0*$/);
    for (const row of [...expected.slice(0, 4), ...expected.slice(-4)]) expect(row).toMatch(/^0+$/);
    for (const row of expected) expect(row).toMatch(/^0000.*0000$/);
    expect(textOfCode(modules.slice(0, expected.length))).toBe(link);
  });

  test('says so on a terminal that is too narrow for the code', async () => {
    const { out, notes } = await muster(40, 'join');
    expect(modulesOf(out)).toEqual([]);
    expect(notes).toMatch(/The QR code needs \d+ columns, and this terminal has 40/);
  });

  test('prints JSON without the code', async () => {
    const { out, notes } = await muster(100, 'join', '--json', '--label', 'laptop of Ann');
    const told = JSON.parse(out) as Record<string, unknown>;
    expect(told).toMatchObject({ label: 'laptop of Ann', uses_left: 1 });
    expect(told).not.toHaveProperty('qr');
    expect(notes).toBe('');
  });
});

test('the code of a link with a pin is read back', () => {
  const token = 'mst_j_4k2m9x0b_Ub3gX0c1Pq7nW5sYd8mKfTjL2hRvZaEo_0z7k3qd';
  const pin = 'CqXbL1VcxCzh08JWPjUdN25y-6uhYCIPFlGT-OdS1l4';
  const link = writeJoinLink({ url: 'https://192.168.1.10:8443', token, pin });
  expect(textOfCode(qrRows(link))).toBe(link);
});
