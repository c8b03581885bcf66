// The walls below the realm. Each is tested with code that has passed the walls before it: the
// command line of a child, with a script in place of the child's entry point. Each test has a
// positive control: without the wall the same code succeeds.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { filterFd, openFilter } from '../../src/worker/node/confinement/filter-file.ts';
import { chooseConfinement, type Confinement } from '../../src/worker/node/confinement.ts';
import { type ChildCode, childSources, sandboxEntry } from '../../src/worker/node/entry-points.ts';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { valueOf } from '../support/task-harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-walls-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bare = chooseConfinement(process.execPath, 'off');
const best = chooseConfinement(process.execPath, 'auto');
const isLinux = process.platform === 'linux';

/** Prints `open`, or how the attempt ended. */
function scriptOf(code: string): string {
  return `const told = (e) => { console.log(e.code ?? e.name); process.exit() };
    process.on('uncaughtException', told);
    (async () => { ${code} })().then((said) => { console.log(said ?? 'open'); process.exit() }, told)`;
}

interface Attempt {
  readonly file: string;
  readonly args: readonly string[];
  readonly filter?: Uint8Array | null;
  /** On descriptor 4, as the file for the number of the attempt is. */
  readonly position?: number;
}

function outputOf({ file, args, filter = null, position }: Attempt): string {
  const stdio: ('ignore' | 'pipe' | number)[] = ['ignore', 'pipe', 'pipe', 'ignore'];
  stdio[4] = position ?? 'ignore';
  stdio[filterFd] = filter === null ? 'ignore' : openFilter(folder, filter);
  try {
    const { stdout, stderr, signal } = spawnSync(file, args, {
      env: {},
      cwd: folder,
      stdio,
      encoding: 'utf8',
    });
    return `${stdout}${stdout === '' ? stderr : ''}`.trim() || `signal ${signal}`;
  } finally {
    if (typeof stdio[filterFd] === 'number') closeSync(stdio[filterFd]);
  }
}

/** With all flags of a child. */
function inChild(confinement: Confinement, code: string, of?: ChildCode): Attempt {
  const { file, args } = confinement.command('{}', 64, of);
  const { filter } = confinement;
  return { file, args: [...args.slice(0, -2), '-e', scriptOf(code)], filter };
}

/** As if the code had broken Node's own walls too: without its flags. */
function belowNode(confinement: Confinement, code: string, of?: ChildCode): Attempt {
  const { file, args } = confinement.command('{}', 64, of);
  const { filter } = confinement;
  const flags = args.indexOf('--permission');
  return { file, args: [...args.slice(0, flags), '-e', scriptOf(code)], filter };
}

function outside(code: string): Attempt {
  return { file: process.execPath, args: ['-e', scriptOf(code)] };
}

describe('the flags of Node', () => {
  const denied = 'ERR_ACCESS_DENIED';
  const absent = 'ERR_UNKNOWN_BUILTIN_MODULE';
  const sqlite = "const { DatabaseSync, backup } = require('node:sqlite')";
  const attempts: Readonly<Record<string, readonly [code: string, answer: string]>> = {
    'read a file': ["require('fs').readFileSync(process.execPath, { length: 1 })", denied],
    'write a file': ["require('fs').writeFileSync('was-here', '')", denied],
    'list a folder': ["require('fs').readdirSync('/')", denied],
    'start a process': ["require('child_process').execFileSync(process.execPath, ['-v'])", denied],
    'become another program': [
      "process.execve(process.execPath, [process.execPath, '-p', '1'], {})",
      denied,
    ],
    'start a thread': ["new (require('worker_threads').Worker)('1', { eval: true })", denied],
    'open the inspector': ["require('inspector').open(0)", denied],
    'inspect itself': ["new (require('inspector').Session)().connect()", denied],
    'load an addon': ['process.dlopen({ exports: {} }, process.execPath)', 'ERR_DLOPEN_DISABLED'],
    'start WASI': ["new (require('wasi').WASI)({ version: 'preview1' })", denied],
    'write a report': ["process.report.writeReport('report.json')", denied],
    'write its heap': ["require('v8').writeHeapSnapshot('heap')", denied],
    'write a trace': [
      "require('trace_events').createTracing({ categories: ['v8'] }).enable()",
      denied,
    ],
    'read an environment file': ["process.loadEnvFile('muster.env')", denied],
    'change its folder': ["process.chdir('/')", denied],
    'open a database': [`${sqlite}; new DatabaseSync('any.db')`, absent],
    'attach a database': [
      `${sqlite}; new DatabaseSync(':memory:').exec("attach 'any.db' as a")`,
      absent,
    ],
    'write a file as a database': [
      `${sqlite}; new DatabaseSync(':memory:').exec("vacuum into '" + process.pid + ".db'")`,
      absent,
    ],
    'write a backup': [
      `${sqlite}; await backup(new DatabaseSync(':memory:'), process.pid + '.db')`,
      absent,
    ],
    'load the source of a module': [
      "return await (0, eval)('import.source(\"data:,\")').then(() => 'open', (e) => e.code)",
      'SyntaxError',
    ],
    'find a web socket': [
      "if (typeof WebSocket === 'undefined') throw { code: 'absent' }",
      'absent',
    ],
  };

  test.each(Object.entries(attempts))('do not let code %s', (_name, [code, answer]) => {
    expect(outputOf(outside(code))).not.toBe(answer);
    expect(outputOf(inChild(bare, code))).toBe(answer);
  });

  // What older ones do not have at all.
  test.runIf(Number.parseInt(process.versions.node, 10) >= 26)(
    'of Node 26 and newer do not let code call C, or find a store of the browser',
    () => {
      const callC = "new (require('node:ffi').DynamicLibrary)(null)";
      expect(outputOf(outside(callC))).not.toBe(absent);
      expect(outputOf(inChild(bare, callC))).toBe(absent);
      const store = 'return typeof Storage';
      expect(outputOf(outside(store))).toBe('function');
      expect(outputOf(inChild(bare, store))).toBe('undefined');
    },
  );

  test.runIf(isLinux)('leave the signal that opens a debugger without a listener', async () => {
    const isCaught = async ({ file, args }: Attempt) => {
      const child = spawn(file, args, { env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
      await once(child.stdout, 'data');
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      child.kill('SIGKILL');
      await once(child, 'close');
      const caught = BigInt(`0x${/^SigCgt:\s+(\w+)$/m.exec(status)![1]}`);
      return (caught & (1n << BigInt(constants.signals.SIGUSR1 - 1))) !== 0n;
    };
    const code = "console.log('up'); await new Promise(() => setInterval(() => {}, 1e6))";
    expect(await isCaught(outside(code))).toBe(true);
    expect(await isCaught(inChild(bare, code))).toBe(false);
  });
});

describe('the folder of a child', () => {
  const [own, other] = ['own', 'other'].map((name) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(path, '1'), '');
    return path;
  }) as [string, string];
  const code = { ...childSources(), folders: [...childSources().folders, own] };
  const reading = (path: string) => `fs.readFileSync(${JSON.stringify(join(path, '1'))})`;
  const writing = `fs.writeFileSync(${JSON.stringify(join(own, '2'))}, '')`;

  test('is readable to it, that of another is not, and it writes to none', () => {
    for (const confinement of [bare, best]) {
      const run = (text: string) => outputOf(inChild(confinement, text, code));
      expect(run(reading(own))).toBe('open');
      expect(run(reading(other))).toBe('ERR_ACCESS_DENIED');
      expect(run(writing)).toBe('ERR_ACCESS_DENIED');
    }
    expect(outputOf(outside(reading(other)))).toBe('open');
  });

  test.runIf(best.isolation === 'ses+bubblewrap')(
    'holds against native code behind bubblewrap',
    () => {
      const run = (text: string) => outputOf(belowNode(best, text, code));
      expect(run(reading(own))).toBe('open');
      expect(run(reading(other))).toBe('ENOENT');
      expect(run(writing)).toBe('EROFS');
      expect(outputOf(outside(writing))).toBe('open');
    },
  );
});

describe('the limits of the kernel', () => {
  const isInForce = best.walls.some((wall) => wall.id === 'limits' && wall.isInForce);
  test(`are set on Linux with prlimit, ${isInForce ? 'as here' : 'NOT HERE: nothing was tried'}`, () => {
    expect(isInForce).toBe(isLinux && spawnSync('prlimit', ['--version']).status === 0);
  });
  if (!isInForce) return;

  test.each([
    ['written to', "fs.writeSync(4, '12345', 0)"],
    ['written to far behind its end', "fs.writeSync(4, '1', 2 ** 40)"],
    ['made larger', 'fs.ftruncateSync(4, 2 ** 40)'],
  ])('keep the file of four bytes as it is when it is %s', (_how, code) => {
    const sizeAfter = (attempt: Attempt) => {
      const path = join(folder, `position-${Math.random()}`);
      const position = openSync(path, 'w+');
      outputOf({ ...attempt, position });
      closeSync(position);
      return statSync(path).size;
    };
    const honest = "fs.writeSync(4, '1234', 0)";
    for (const confinement of [bare, best]) {
      expect(sizeAfter(inChild(confinement, honest))).toBe(4);
      expect(sizeAfter(belowNode(confinement, code))).toBeLessThanOrEqual(4);
    }
    expect(sizeAfter(outside(code))).toBeGreaterThan(4);
  });

  test.each([
    ['behind its own', "fs.writeSync(4, '5678', 4)"],
    ['over both', "fs.writeSync(4, '12345678', 0)"],
  ])('keep the order to stop, four bytes more of it, when it is written %s', (_how, code) => {
    const orderAfter = (attempt: Attempt) => {
      const path = join(folder, `position-${Math.random()}`);
      writeFileSync(path, '\0\0\0\0stop');
      const position = openSync(path, 'r+');
      outputOf({ ...attempt, position });
      closeSync(position);
      return readFileSync(path, 'latin1').slice(4);
    };
    for (const confinement of [bare, best]) {
      expect(orderAfter(belowNode(confinement, code))).toBe('stop');
    }
    expect(orderAfter(outside(code))).toBe('5678');
  });

  test('let a child open some descriptors, not many', () => {
    const code = `const path = ${JSON.stringify(sandboxEntry)};
      for (let count = 0; count < 20; count++) fs.openSync(path);
      for (let count = 0; count < 200; count++) fs.openSync(path)`;
    expect(outputOf(outside(code))).toBe('open');
    expect(outputOf(inChild(bare, code))).toBe('EMFILE');
    expect(outputOf(inChild(best, code))).toBe('EMFILE');
  });
});

describe.runIf(isLinux)('descriptors that the agent was given', () => {
  test.each(['off', 'auto'] as const)('do not reach a child (bubblewrap %s)', (use) => {
    const agent = fileURLToPath(new URL('../fixtures/prying-agent.ts', import.meta.url));
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'secret');
    const leak = 'exec 5<"$1" 9<"$1" 40<"$1" 200<"$1"; shift; exec "$@"';
    const start = (...command: readonly string[]) =>
      spawnSync('bash', ['-c', leak, 'bash', secret, process.execPath, ...command], {
        encoding: 'utf8',
      }).stdout.trim();
    const look = `const found = [5, 9, 40, 200].filter((fd) => { const bytes = Buffer.alloc(6);
      fs.readSync(fd, bytes, 0, 6, 0); return bytes.toString() === 'secret' }); console.log(found.join())`;
    expect(start('-e', look)).toBe('5,9,40,200');
    expect(start(agent, use)).toMatch(/^ses(\+bubblewrap)? found \[\]$/);
  });

  // Whoever can use bubblewrap can also hide /proc with it.
  const hidesProc = spawnSync('bwrap', ['--dev-bind', '/', '/', '--tmpfs', '/proc', 'true']);
  const canHide = hidesProc.status === 0;
  const untried = canHide ? '' : ' - NOT TRIED: nothing hides it here';
  test.runIf(canHide)(`nor where no /proc is mounted${untried}`, () => {
    const agent = fileURLToPath(new URL('../fixtures/prying-agent.ts', import.meta.url));
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'secret');
    const leak = 'exec 5<"$1" 9<"$1" 40<"$1" 200<"$1"; shift; exec "$@"';
    const around = ['--dev-bind', '/', '/', '--tmpfs', '/proc', '--die-with-parent'];
    const command = ['bash', '-c', leak, 'bash', secret, process.execPath, agent, 'off'];
    const { stdout } = spawnSync('bwrap', [...around, ...command], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('ses found []');
  });
});

describe('bubblewrap', () => {
  const isThere = best.isolation === 'ses+bubblewrap';
  test(`is around a child ${isThere ? 'here' : '- NOT HERE: none of its walls was tried'}`, () => {
    expect(best.isolation).toMatch(/^ses(\+bubblewrap)?$/);
    if (!isThere) expect(() => chooseConfinement(process.execPath, 'require')).toThrow(/apt|Linux/);
  });
  if (!isThere) {
    console.warn('Bubblewrap does not work here: none of its walls is tried.');
    return;
  }

  const agent = process.pid;
  const attempts: Readonly<Record<string, readonly [wall: string, code: string, answer: string]>> =
    {
      'read a file of the machine': ['namespaces', "fs.readFileSync('/etc/passwd')", 'ENOENT'],
      'find more than Node needs': [
        'namespaces',
        "return fs.readdirSync('/').filter((name) => /^(proc|dev|sys|boot)$/.test(name)).join() || 'nothing'",
        'nothing',
      ],
      'signal the worker': ['namespaces', `process.kill(${agent}, 0)`, 'ESRCH'],
      'open a debugger in the worker': ['namespaces', `process._debugProcess(${agent})`, 'ESRCH'],
      'be the user of the worker': ['person', 'return String(process.getuid())', '65534'],
      'learn the name of the machine': ['host', 'return os.hostname()', 'sandbox'],
      'open a socket': [
        'calls',
        `const server = require('net').createServer().listen(0, '127.0.0.1');
        await new Promise((resolve, reject) => server.on('listening', resolve).on('error', reject))`,
        'EPERM',
      ],
      'send a datagram': [
        'calls',
        `const socket = require('dgram').createSocket('udp4');
        await new Promise((resolve, reject) => socket.on('error', reject).bind(0, resolve))`,
        'EPERM',
      ],
      'start a process': ['calls', "child_process.execFileSync(process.execPath, ['-v'])", 'EPERM'],
      'write a file': ['calls', "fs.mkdirSync('/empty/folder')", 'EPERM'],
      'watch files': ['calls', "fs.watch('/')", 'EPERM'],
      'become another user': ['calls', 'process.setuid(process.getuid())', 'EPERM'],
    };
  test.each(Object.entries(attempts))('does not let code %s', (_name, [wall, code, answer]) => {
    expect(best.walls.find(({ id }) => id === wall)).toMatchObject({ isInForce: true });
    expect(outputOf(belowNode(best, code))).toBe(answer);
  });

  test('lets code start threads, compile and collect', () => {
    const code = `const thread = new (require('worker_threads').Worker)(
        'let all = []; for (let i = 0; i < 1e5; i++) all.push({ i });', { eval: true });
      await new Promise((resolve, reject) => thread.on('exit', resolve).on('error', reject));
      await require('util').promisify(require('crypto').pbkdf2)('a', 'b', 9, 9, 'sha256')`;
    expect(outputOf(belowNode(best, code))).toBe('open');
  });

  test('alone, without the filter, would let code open a socket and write beside itself', () => {
    const unfiltered = (name: string) => {
      const { file, args } = belowNode(best, attempts[name]![1]);
      const at = args.indexOf('--seccomp');
      return outputOf({ file, args: [...args.slice(0, at), ...args.slice(at + 2)] });
    };
    expect(unfiltered('open a socket')).toBe('open');
    expect(unfiltered('send a datagram')).toBe('open');
    expect(unfiltered('start a process')).toBe('open');
    expect(unfiltered('become another user')).toBe('open');
    expect(unfiltered('write a file')).toBe('EROFS');
  });

  test('keeps the name and the files of the machine from code that would find them outside', () => {
    expect(outputOf(outside('return os.hostname()'))).toBe(hostname());
    expect(outputOf(outside("fs.readFileSync('/etc/passwd')"))).toBe('open');
    expect(outputOf(outside(`process.kill(${agent}, 0)`))).toBe('open');
  });

  test('lets a task run, time out, and end for want of memory all the same', async () => {
    const inner = new ExecutorHarness({ isolation: 'require' });
    const goodProgram = 'export default (n) => n + 1';
    try {
      expect(valueOf(await inner.run(goodProgram, 41))).toBe(42);
      const busy = await inner.run('export default () => { for (;;); }', 1, { timeoutMs: 50 });
      expect(busy).toMatchObject({ errorType: 'attempt_timeout' });
      const body = 'const all = []; for (;;) all.push(new Uint8Array(2 ** 25).fill(1))';
      const eater = await inner.run(`export default () => { ${body} }`, 1, { timeoutMs: 60_000 });
      expect(eater).toMatchObject({ errorType: 'out_of_memory' });
      expect(valueOf(await inner.run(goodProgram, 41))).toBe(42);
    } finally {
      await inner.executor.close();
    }
  });
});
