// A coordinator under TLS with its workers and the command line, as processes.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { endOf, runCli, serveCli, type ServingCli, startCli } from '../support/cli-process.ts';
import { anotherPinThan, testCertificate } from '../support/test-certificate.ts';

/** Larger than a result in a message may be: the worker stores it as a blob. */
const large = 2_000_000;
const names = ['127.0.0.1', 'localhost'];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-tls-'));
  write('large.js', `export default (i) => 'x'.repeat(${large} + i)`);
  write(
    'slow.js',
    'export default async (i) => { await new Promise((go) => setTimeout(go, 700)); return i }',
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content, { mode: 0o600 });
}

async function serve(...args: readonly string[]): Promise<ServingCli> {
  const serving = await serveCli(args, { folder });
  onTestFinished(async () => void (await serving.stop()));
  return serving;
}

const muster = (environment: Record<string, string>, ...args: readonly string[]) =>
  runCli(args, { folder, environment });

const joined = ({ said }: ServingCli, count: number) =>
  vi.waitUntil(() => said().split(' has joined').length - 1 >= count, { timeout: 60_000 });

test('a self-signed coordinator is used by its pin, by workers and the command line, blobs too', async () => {
  const serving = await serve('--tls', 'self-signed');
  const { url, pin } = serving;
  expect(url).toMatch(/^https:/);
  const worker = startCli(['worker', `${url}#k=${pin}`, '--slots', '1'], { folder });
  onTestFinished(async () => {
    worker.kill();
    await endOf(worker);
  });
  await joined(serving, 1);
  expect(serving.said()).toMatch(`the pin of its certificate is ${pin}`);
  const byAddress = { MUSTER_URL: `${url}#k=${pin}` };
  const done = await muster(byAddress, 'submit', 'large.js', '--range', '0:2', '--follow');
  expect(done).toMatchObject({ code: 0, stderr: expect.stringMatching(/completed: 2 tasks/) });
  expect(done.stdout.length).toBeGreaterThan(2 * large);
  const found = await muster({}, 'workers', '--json', '--url', url, '--pin', pin);
  expect(JSON.parse(found.stdout)).toMatchObject([{ status: 'online' }]);
  // In the folder of the coordinator nothing need be named.
  const { stdout } = await muster({}, 'workers', '--json');
  expect(JSON.parse(stdout)).toMatchObject([
    { id: (JSON.parse(found.stdout) as [{ id: string }])[0].id },
  ]);
  // At the next start it has the same pin.
  await serving.stop();
  expect((await serve('--tls', 'self-signed')).pin).toBe(pin);
});

test('without the right pin nothing is sent, and a sentence shows the pins', async () => {
  const { cert, key, pin } = testCertificate();
  const wrong = anotherPinThan(pin);
  let received = '';
  let connections = 0;
  const recorder = createServer({ cert, key }, (socket) => {
    socket.on('data', (bytes) => {
      received += bytes.toString();
    });
    socket.on('error', () => undefined);
  });
  recorder.on('connection', () => connections++);
  recorder.on('tlsClientError', () => undefined);
  recorder.listen(0, '127.0.0.1');
  await once(recorder, 'listening');
  onTestFinished(() => void recorder.close());
  const url = `https://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
  const both = expect.stringMatching(`its pin is ${pin}, expected is ${wrong}`) as string;
  const itsOwn = expect.stringMatching(`Its pin is ${pin}.*${url}#k=${pin}`) as string;
  const ends = await Promise.all([
    muster({ MUSTER_PIN: wrong }, 'submit', 'slow.js', '--range', '0:1', '--url', url),
    muster({}, 'worker', `${url}#k=${wrong}`, '--state-dir', 'one'),
    muster({}, 'stats', '--url', url),
    muster({}, 'worker', url, '--state-dir', 'two'),
  ]);
  expect(ends).toMatchObject([
    { code: 3, stdout: '', stderr: both },
    { code: 3, stdout: '', stderr: both },
    { code: 3, stdout: '', stderr: itsOwn },
    { code: 3, stdout: '', stderr: itsOwn },
  ]);
  // Those without a pin have come twice: the second time for the pin alone.
  expect(connections).toBe(6);
  expect(received).toBe('');
});

test('a new certificate comes into force without the loss of a connection', async () => {
  const [before, after] = [testCertificate(names), testCertificate(names)];
  write('cert.pem', before.cert);
  write('key.pem', before.key);
  const flags = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem', '--workers', '1'];
  const serving = await serve(...flags);
  const { url, pin } = serving;
  expect(pin).toBe(before.pin);
  await joined(serving, 1);
  const client = connect(url, { pin });
  const program = {
    kind: 'javascript',
    source:
      'export default async (i) => { await new Promise((go) => setTimeout(go, 700)); return i }',
  } as const;
  const job = await client.submit({ program, inputs: [0, 1, 2] });
  const interruptions: unknown[] = [];
  const stream = client.results(job.id, {
    follow: true,
    onInterruption: (error) => interruptions.push(error),
  });
  const seen: number[] = [];
  for await (const { index } of stream) {
    seen.push(index);
    if (seen.length > 1) continue;
    // A key that does not fit is refused, and the old certificate stays.
    write('key.pem', after.key);
    serving.child.kill('SIGHUP');
    await vi.waitUntil(() => serving.said().includes('does not belong'), { timeout: 30_000 });
    expect(await shownBy(url)).toBe(before.cert);
    write('cert.pem', after.cert);
    serving.child.kill('SIGHUP');
    await vi.waitUntil(() => serving.said().includes(after.pin), { timeout: 30_000 });
    expect(await shownBy(url)).toBe(after.cert);
  }
  expect(seen).toEqual([0, 1, 2]);
  expect(interruptions).toEqual([]);
  // The local worker kept its socket, and trusts the new one where it opens another.
  expect(serving.said()).not.toMatch(/has left|is away|lost/);
  const environment = { MUSTER_URL: `${url}#k=${after.pin}` };
  const done = await muster(environment, 'submit', 'large.js', '--range', '0:1', '--follow');
  expect(done).toMatchObject({ code: 0, stderr: expect.stringMatching(/completed: 1 task/) });
  // Whoever knows the old one alone asks before it goes on.
  await expect(connect(url, { pin }).stats()).rejects.toMatchObject({ reason: 'untrusted' });
});

test('a certificate that the machine trusts needs no pin', async () => {
  const { cert, key } = testCertificate(names);
  write('cert.pem', cert);
  write('key.pem', key);
  const serving = await serve('--tls-cert', 'cert.pem', '--tls-key', 'key.pem');
  const environment = { NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem'), MUSTER_URL: serving.url };
  const worker = startCli(['worker', serving.url, '--slots', '1'], { folder, environment });
  onTestFinished(async () => {
    worker.kill();
    await endOf(worker);
  });
  await joined(serving, 1);
  const done = await muster(environment, 'submit', 'large.js', '--range', '0:1', '--follow');
  expect(done).toMatchObject({ code: 0, stderr: expect.stringMatching(/completed: 1 task/) });
  const doctor = await muster(
    environment,
    'doctor',
    '--tls-cert',
    'cert.pem',
    '--tls-key',
    'key.pem',
    '--json',
  );
  expect(JSON.parse(doctor.stdout)).toContainEqual(
    expect.objectContaining({ check: 'certificate', status: 'ok' }),
  );
});

test('serve does not start with a certificate that cannot be used, and says why', async () => {
  const flags = ['--tls-cert', 'none.pem', '--tls-key', 'none.pem'];
  const end = await muster({}, 'serve', '--port', '0', ...flags);
  expect(end.stderr).toMatch(/The certificate .*none\.pem cannot be read: there is no such file/);
  expect(end).toMatchObject({ code: 5, stdout: '' });
});

/** The certificate that a new connection is shown, in PEM. */
async function shownBy(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket: TLSSocket = connectTls({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const shown = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  return shown;
}
