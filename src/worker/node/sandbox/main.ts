// Entry point of a sandbox child: hardens the realm, checks it, then runs the attempts that the
// agent hands over. Only the agent starts it; its argument is `ChildSettings` in
// sandbox/messages.ts.

import { readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { Driver } from '../../sandbox/driver.ts';
import {
  type LongMessage,
  longSaying,
  sizesInOrders,
  textsInOrders,
} from '../../sandbox/long-texts.ts';
import {
  type ChildSettings,
  type FromChild,
  stopOrderAt,
  type ToChild,
} from '../../sandbox/messages.ts';
import { obeyAll } from '../../sandbox/orders.ts';
import { hardenRealm } from '../../sandbox/realm.ts';
import { checkRealm } from '../../sandbox/realm-check.ts';
import { PayloadPipe } from './payload-pipe.ts';
import { guestMakers } from './guests.ts';
import { nodeHost } from './node-host.ts';
import { readSpelledBytes, spellBytes } from './spelled-bytes.ts';

// `npm run bench -- child-start` reads these marks.
performance.mark('imported');
const settings = JSON.parse(process.argv[2] ?? '{}') as ChildSettings;

// The death of the agent closes the channel. (A child in a busy loop does not notice: see
// confinement.ts.)
process.on('disconnect', () => process.exit(0));
try {
  setPriority(10);
} catch {
  // Some systems do not let a process lower its own priority.
}

const pipe = openPipe(settings.payloadFd ?? null);

hardenRealm(nodeHost, settings.sesPath);
performance.mark('hardened');
process.on('unhandledRejection', () => {});

const position = new Int32Array(1);
const positionBytes = new Uint8Array(position.buffer);
const stopOrder = new Int32Array(1);
const stopOrderBytes = new Uint8Array(stopOrder.buffer);
const channel = process.send?.bind(process);
if (channel === undefined) throw new Error('the sandbox child is started by an agent only');
/** What was sent waits in this process: the agent is slow, or the event loop has not turned for long. */
let isCongested = false;
/** An error cut a message short, perhaps between its texts and itself: what follows would not fit together. */
let isCutShort = false;

/**
 * Task code may be below on the stack: it must not receive an error of Node's, whose class is not
 * frozen. So another error replaces it.
 */
function send(message: FromChild): void {
  if (isCutShort) throw new Error('the agent was not told all');
  isCutShort = true;
  try {
    const long = longSaying(message);
    const told = long === null ? message : beside(long);
    // Messages keep their order: when this one is written, all before it are.
    const hasRoom: boolean | undefined = channel?.(told, undefined, undefined, () => {
      if (hasRoom === false) isCongested = false;
    });
    if (hasRoom === false) isCongested = true;
    isCutShort = false;
  } catch {
    throw new Error('the agent cannot be told');
  }
}

/** What is left for the message channel. */
function beside(long: LongMessage): readonly unknown[] {
  if (pipe === null) return spellBytes(long);
  pipe.write(long);
  return long.message;
}

const driver = new Driver(
  settings,
  nodeHost,
  {
    send,
    hasRoom: () => !isCongested && pipe?.hasRoom !== false,
    now: performance.now.bind(performance),
    writePosition: (number) => {
      position[0] = number;
      writeSync(settings.positionFd, positionBytes, 0, 4, 0);
    },
    readStopOrder,
    readLent,
    giveUp,
  },
  guestMakers,
);

/** Of a buffer of its own: those of Node may share theirs. */
function readLent(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(settings.folder ?? '', name)));
}

/** Task code is below on the stack: see `send`. */
function readStopOrder(): number {
  try {
    readSync(settings.positionFd, stopOrderBytes, 0, 4, stopOrderAt);
    return stopOrder[0]!;
  } catch {
    return 0;
  }
}

process.on('message', (orders: readonly ToChild[]) => {
  if (pipe === null) {
    readSpelledBytes(textsInOrders(orders));
    obey(orders);
  } else pipe.announce(orders, sizesInOrders(orders));
});

function obey(orders: readonly ToChild[]): void {
  obeyAll(driver, orders, () => send(['pong']));
}

/** Opened before the realm is locked. */
function openPipe(fd: number | null): PayloadPipe | null {
  if (fd === null) return null;
  return new PayloadPipe({
    socket: new Socket({ fd }),
    // The agent's own bounds hold.
    mostBytes: Infinity,
    onMessage: (orders) => obey(orders as readonly ToChild[]),
    onBroken: () => giveUp('the agent has announced texts that are none'),
  });
}

process.on('uncaughtException', (error) => {
  driver.threw(error);
});

checkRealm(nodeHost).then(serve, (error: unknown) => {
  giveUp(`the realm cannot be checked: ${String(error)}`);
});

async function serve(faults: readonly string[]): Promise<void> {
  if (faults.length > 0) refuse(faults);
  performance.mark('checked');
  try {
    await driver.prepare(settings.serves);
  } catch (error) {
    giveUp(`what runs ${settings.serves} cannot be started here: ${String(error)}`);
  }
  dropCode();
  send(['ready']);
}

/** Its code is loaded. Node before 26 has no way to drop the permission. */
function dropCode(): void {
  const { folder = null, codePaths = [] } = settings;
  if (folder === null) process.permission?.drop?.('fs.read');
  else for (const path of codePaths) process.permission?.drop?.('fs.read', path);
}

/** Two jobs share what could carry information from one to the other: no task may run here. */
function refuse([first, ...others]: readonly string[]): never {
  const more = others.length > 0 ? `; and ${others.length} more of the kind` : '';
  giveUp(`this version of Node does not keep jobs apart: ${first}${more}`);
}

function giveUp(why: string): never {
  writeSync(2, `${why}\n`);
  process.exit(1);
}
