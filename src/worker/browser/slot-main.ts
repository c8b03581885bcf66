// Entry point of the thread in a frame: takes away what the browser gives to threads, hardens the realm,
// checks it, then runs the attempts that the agent hands over. Its first message brings the port that leads
// to the agent.

import { Driver } from '../sandbox/driver.ts';
import type { SandboxLimits } from '../sandbox/messages.ts';
import { floatArrays, languageGlobals } from '../sandbox/novelties.ts';
import { obeyAll } from '../sandbox/orders.ts';
import { hardenRealm } from '../sandbox/realm.ts';
import { checkRealm } from '../sandbox/realm-check.ts';
import { bareGlobal } from './bare-global.ts';
import { browserHost } from './browser-host.ts';
import type { FromThread, ToThread } from './child-messages.ts';
import type { ThreadOrder } from './frame-messages.ts';

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;
const now = performance.now.bind(performance);
const closeThread = scope.close.bind(scope);

let driver: Driver | null = null;
/** The one kind of guests that it is there for; else `javascript`. */
let serves = 'javascript';
let hasGivenUp = false;
let post: (message: FromThread) => void = () => {};

scope.addEventListener(
  'message',
  ({ data }: MessageEvent<ThreadOrder>) => {
    begin(data.port);
  },
  { once: true },
);

// Errors that nothing catches would be told to the frame, and from there to the page.
scope.addEventListener('error', (event) => {
  event.preventDefault();
  const { error } = event as { readonly error: unknown };
  if (driver === null) giveUpQuietly(`the thread did not start: ${String(error)}`);
  else if (!hasGivenUp) driver.threw(error);
});
scope.addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
});

function begin(port: MessagePort): void {
  post = port.postMessage.bind(port);
  port.addEventListener('message', ({ data }: MessageEvent<ToThread>) => {
    if (data[0] === 'begin') prepare(data[1], data[2]);
    else if (driver !== null) obeyAll(driver, data[1], tellAlive);
  });
  port.start();
}

function prepare(limits: SandboxLimits, toServe: string): void {
  serves = toServe;
  const kept = new Set([...languageGlobals, ...floatArrays]);
  const left = bareGlobal(scope, kept);
  if (left.length > 0) giveUp(`this browser does not give up ${left.join(', ')}`);
  hardenRealm(browserHost, '');
  // What the library has put there.
  bareGlobal(scope, kept);
  driver = new Driver(limits, browserHost, {
    send,
    // A message leaves the thread at once.
    hasRoom: () => true,
    now,
    writePosition: send,
    readStopOrder: null,
    readLent: () => {
      throw new Error('blobs come as bytes');
    },
    giveUp,
  });
  checkRealm(browserHost).then(serve, (error: unknown) => {
    giveUpQuietly(`the realm cannot be checked: ${String(error)}`);
  });
}

function tellAlive(): void {
  send(['pong']);
}

/** Two jobs share what could carry information from one to the other: no task may run here. */
function serve([first, ...others]: readonly string[]): void {
  if (first === undefined) {
    driver?.prepare(serves).then(
      () => send(['ready']),
      (error: unknown) => giveUpQuietly(`what runs ${serves} cannot be started: ${String(error)}`),
    );
    return;
  }
  const more = others.length > 0 ? `; and ${others.length} more of the kind` : '';
  giveUpQuietly(`this browser does not keep jobs apart: ${first}${more}`);
}

/**
 * Task code may be below on the stack: it must not receive an error of the browser's, whose class is not
 * frozen. So another error replaces it.
 */
function send(message: FromThread): void {
  if (hasGivenUp) throw new Error('the thread has ended');
  try {
    post(message);
  } catch {
    throw new Error('the agent cannot be told');
  }
}

function giveUpQuietly(why: string): void {
  if (hasGivenUp) return;
  hasGivenUp = true;
  post(['fault', why]);
  closeThread();
}

function giveUp(why: string): never {
  giveUpQuietly(why);
  throw new Error(why);
}
