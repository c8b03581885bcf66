// Tokens as a person uses them: the first one before the first start, the commands and workers of this machine,
// those of elsewhere, and a token that is revoked.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliEnd, runCli, serveCli, type ServingCli } from '../support/cli-process.ts';

let folder: string;
let elsewhere: string;
let serving: ServingCli;
let made: CliEnd;
let admin: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-token-'));
  elsewhere = mkdtempSync(join(tmpdir(), 'muster-elsewhere-'));
  made = await runCli(['token', 'create', '--kind', 'admin', '--data-dir', 'data'], {
    folder,
  });
  admin = made.stdout.trim();
  serving = await serveCli(['--data-dir', 'data', '--workers', '1'], { folder });
}, 60_000);

afterAll(async () => {
  await serving.stop();
  for (const each of [folder, elsewhere]) rmSync(each, { recursive: true, force: true });
});

/** As the person whose coordinator it is. */
const muster = (...args: string[]): Promise<CliEnd> =>
  runCli(args, { folder, environment: { MUSTER_URL: serving.url, MUSTER_DATA_DIR: 'data' } });

/** As somebody else: from another folder, with this token or none. */
const other = (token: string | undefined, ...args: string[]): Promise<CliEnd> =>
  runCli(args, {
    folder: elsewhere,
    environment: {
      MUSTER_URL: serving.url,
      ...(token === undefined ? {} : { MUSTER_TOKEN: token }),
    },
  });

test('the admin token is kept where only this person can read it', () => {
  expect(made).toMatchObject({ code: 0, stdout: `${admin}\n` });
  expect(made.stderr).toContain('data/access/admin.token');
  const file = join(folder, 'data', 'access', 'admin.token');
  expect(readFileSync(file, 'utf8')).toBe(`${admin}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'data', 'muster.db')).includes(admin.slice(15, 47))).toBe(false);
});

test('commands in the folder of the coordinator work as before, with its worker', async () => {
  writeFileSync(join(folder, 'square.js'), 'export default (n) => n * n;\n');
  const { code, stdout, stderr } = await muster(
    'submit',
    'square.js',
    '--range',
    '0:3',
    '--follow',
  );
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('4');
});

test('elsewhere a command says that it needs a token, and takes one', async () => {
  const refused = await other(undefined, 'jobs');
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('This coordinator asks for a token');
  expect(refused.stderr).toContain('MUSTER_TOKEN_FILE');
  expect((await other(admin, 'jobs')).code).toBe(0);
  writeFileSync(join(elsewhere, 'token'), `${admin}\n`);
  expect((await other(undefined, 'jobs', '--token-file', 'token')).code).toBe(0);
  const missing = await other(undefined, 'jobs', '--token-file', 'none');
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('"none"')]);
});

test('a token is made over the interface while it is served, and is good until it is revoked', async () => {
  const client = await muster('token', 'create', '--kind', 'client', '--owner', 'ann', '--json');
  const { id, token } = JSON.parse(client.stdout) as { id: string; token: string };
  expect((await other(token, 'jobs')).code).toBe(0);
  const drained = await other(token, 'scheduler', 'activate', 'fifo');
  expect([drained.code, drained.stderr]).toEqual([4, expect.stringContaining('of the kind admin')]);
  expect((await muster('token', 'list')).stdout).toMatch(new RegExp(`^${id} +client +ann`, 'm'));
  expect((await muster('token', 'revoke', id)).code).toBe(0);
  expect((await other(token, 'jobs')).stderr).toContain('was revoked');
});

test('a token is made with quotas, shows them, and has others from now on', async () => {
  const flags = ['--quota', 'open_jobs=1', '--quota', 'stored_bytes=5GB,streams=3', '--json'];
  const eves = await muster('token', 'create', '--kind', 'client', '--owner', 'eve', ...flags);
  const { id, token } = JSON.parse(eves.stdout) as { id: string; token: string };
  writeFileSync(join(elsewhere, 'wait.js'), 'export default (n) => n;\n');
  const submit = () => other(token, 'submit', 'wait.js', '--range', '0:2', '--hold');
  expect((await submit()).code).toBe(0);
  const refused = await submit();
  expect([refused.code, refused.stderr]).toEqual([
    4,
    expect.stringMatching(/owner eve has 1 jobs? that .*\(quota open_jobs\)/),
  ]);
  expect((await other(token, 'quota')).stdout).toMatch(
    /^stored_bytes +\d+ bytes +5GB +per owner$/m,
  );
  const listed = (await muster('token', 'list')).stdout;
  expect(listed).toContain('open_jobs=1, stored_bytes=5GB, streams=3');
  const changed = await muster('token', 'quota', id, 'open_jobs=2', 'streams=default');
  expect([changed.code, changed.stderr]).toEqual([
    0,
    expect.stringContaining('open_jobs=2, stored_bytes=5GB, and the others of its kind'),
  ]);
  expect((await submit()).code).toBe(0);
  expect((await submit()).code).toBe(4);
});

test.each([
  ['jobs=1', 'there are requests_per_second, submissions_per_minute, open_jobs'],
  ['stored_bytes=many', 'like 500MB or 5GB'],
  ['open_jobs=1.5', 'a whole number from 0'],
])('a quota that is none: %s', async (quota, sentence) => {
  const { code, stderr } = await muster('token', 'create', '--kind', 'client', '--quota', quota);
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(sentence)]);
});

test('a quota of another kind of token is refused with those that it may have', async () => {
  const flags = ['--kind', 'join', '--quota', 'open_jobs=1'];
  const { code, stderr } = await muster('token', 'create', ...flags);
  expect(code).toBe(4);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('may have requests_per_second, sockets, regist');
});

test('the last admin token stays while others are in use', async () => {
  await muster('token', 'create', '--kind', 'viewer');
  const { code, stderr } = await muster('token', 'revoke', admin.split('_')[2]!);
  expect([code, stderr]).toEqual([4, expect.stringContaining('the last admin token')]);
});

test('a coordinator whose folder has lost the admin token says so, and doctor does', async () => {
  const person = { folder: mkdtempSync(join(tmpdir(), 'muster-token-')) };
  await runCli(['token', 'create', '--kind', 'admin'], person);
  rmSync(join(person.folder, '.muster', 'access', 'admin.token'));
  const lost = await serveCli(['--workers', '1'], person);
  try {
    const findings = JSON.parse((await runCli(['doctor', '--json'], person)).stdout);
    expect(findings).toContainEqual({
      check: 'access',
      status: 'warning',
      finding: 'the admin token is not in .muster/access',
      advice: expect.stringMatching(/^End the coordinator, make one with/),
    });
  } finally {
    await lost.stop();
    rmSync(person.folder, { recursive: true, force: true });
  }
  expect(lost.said()).toContain('The admin token is not in .muster/access: end the coordinator,');
}, 60_000);

test('under TLS tokens are made, and used, without being told the pin again', async () => {
  const encrypted = mkdtempSync(join(tmpdir(), 'muster-token-'));
  const person = { folder: encrypted };
  const flags = ['--tls', 'self-signed', '--workers', '1'];
  const tls = await serveCli(flags, person);
  try {
    const first = await runCli(['token', 'create', '--kind', 'admin'], person);
    expect(first.code, first.stderr).toBe(0);
    const client = await runCli(['token', 'create', '--kind', 'client', '--owner', 'ann'], person);
    expect(client.code, client.stderr).toBe(0);
    const file = readFileSync(join(encrypted, '.muster', 'access', 'address'), 'utf8');
    const [address = ''] = file.split('\n');
    expect(address.startsWith(`${tls.url}#k=`)).toBe(true);
    writeFileSync(join(encrypted, 'square.js'), 'export default (n) => n * n;\n');
    const environment = { MUSTER_URL: address, MUSTER_TOKEN: client.stdout.trim() };
    const asked = ['submit', 'square.js', '--range', '0:3', '--follow'];
    const done = await runCli(asked, { ...person, environment });
    expect(done.code, done.stderr).toBe(0);
    // The admin's own token, from the data folder.
    const all = await runCli(['jobs', '--json'], {
      ...person,
      environment: { MUSTER_URL: address },
    });
    expect(JSON.parse(all.stdout)).toMatchObject([{ owner: 'ann', status: 'completed' }]);
  } finally {
    await tls.stop();
    rmSync(encrypted, { recursive: true, force: true });
  }
}, 120_000);

test('a coordinator serves, and says so, where its address cannot be written down', async () => {
  const own = mkdtempSync(join(tmpdir(), 'muster-full-'));
  mkdirSync(join(own, 'data', 'access', 'address'), { recursive: true, mode: 0o700 });
  const quiet = await serveCli(['--data-dir', 'data'], { folder: own });
  expect((await fetch(`${quiet.url}/readyz`)).status).toBe(200);
  expect(quiet.said()).toContain('commands here must name it');
  await quiet.stop();
  rmSync(own, { recursive: true, force: true });
});
