// The walls around task code in a browser, in three layers: a task behind the realm, raw code in the thread of
// a frame, raw code in the document of a frame. Whatever it tries, nothing arrives at a server outside, and
// nobody notices it. Each attempt is made without walls as well, where it has to work.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Addresses,
  type BrowserAttempt,
  everywhere,
  inDocuments,
  inThreads,
} from '../fixtures/browser-attempts.ts';
import { type CageHarness, CagePage } from '../support/cage-harness.ts';
import { CagedPage, type Sign, type Spot } from '../support/caged-page.ts';
import { ContactSink } from '../support/contact-sink.ts';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { type PlainPages, servePlainPages } from '../support/plain-pages.ts';
import { programOf, valueOf } from '../support/task-harness.ts';

let cage: CagePage;
let harness: CageHarness;
let caged: CagedPage;
let plain: CagedPage;
let plainPages: PlainPages;
const sinks: ContactSink[] = [];
/** Of the attempts behind walls: none may ever be contacted. */
const silent: { readonly name: string; readonly sink: ContactSink }[] = [];

beforeAll(async () => {
  plainPages = await servePlainPages();
  cage = await CagePage.open();
  harness = cage.harness();
  caged = await CagedPage.open(await newPage(), `${cage.url}/empty`, { frame: '/frame' });
  plain = await CagedPage.open(await newPage(), plainPages.url, { frame: '/inner', isPlain: true });
});
afterAll(async () => {
  await cage.close();
  plainPages.close();
  for (const sink of sinks) sink.close();
});

async function newSink(): Promise<ContactSink> {
  const sink = await ContactSink.start();
  sinks.push(sink);
  return sink;
}

function addressesOf({ host, udpHost }: ContactSink): Addresses {
  return {
    http: `http://${host}/`,
    ws: `ws://${host}/`,
    udp: `https://${udpHost}/`,
    stun: `stun:${udpHost}`,
  };
}

/** Of a person who has said yes to everything. */
async function newPage(): Promise<Page> {
  const context = await cage.browser.newContext({ geolocation: { latitude: 1, longitude: 2 } });
  await context.grantPermissions(['geolocation', 'clipboard-read', 'clipboard-write']);
  return context.newPage();
}

/** The positive control: resolves when the attempt has got there. */
async function succeedsOutside(spot: Spot, { body, shownBy }: BrowserAttempt): Promise<void> {
  await plain.renew();
  const sink = await newSink();
  const said = plain.run(spot, body, addressesOf(sink));
  if (shownBy === 'contact') await sink.contact();
  else if (shownBy === 'value') expect(await said).toBe('reached');
  else await plain.sign(shownBy);
}

interface Outcome {
  /** What the code said, or how a task with it ended. */
  readonly said: readonly unknown[];
  readonly contacts: number;
  readonly signs: readonly Sign[];
}

/** What arrives at the control comes after what was tried before, had that been let through. */
async function behindWalls(spot: Spot, attempt: BrowserAttempt): Promise<Outcome> {
  const sink = await newSink();
  silent.push({ name: attempt.name, sink });
  const said = [await caged.run(spot, attempt.body, addressesOf(sink))];
  if (spot === 'thread') said.push(await endAsTask(attempt, sink));
  await succeedsOutside(spot, attempt);
  return { said, contacts: sink.contacts, signs: caged.signs };
}

async function endAsTask({ body }: BrowserAttempt, sink: ContactSink): Promise<string> {
  const end = await harness.run(`export default async (at) => { ${body} }`, addressesOf(sink));
  return end.type;
}

test.each([...everywhere, ...inThreads])(
  'a task, and raw code in its thread, reach nothing by $name',
  async (attempt) => {
    const { said, ...seen } = await behindWalls('thread', attempt);
    expect(said[0]).not.toBe('reached');
    expect(said[1]).toBe('failure');
    expect(seen).toEqual({ contacts: 0, signs: [] });
  },
);

test.each([...everywhere, ...inDocuments])(
  'raw code in the document of a frame reaches nothing by $name',
  async (attempt) => {
    const { said, ...seen } = await behindWalls('document', attempt);
    expect(said).not.toEqual(['reached']);
    expect(seen).toEqual({ contacts: 0, signs: [] });
  },
);

test('nothing has arrived later either', () => {
  expect(silent.filter(({ sink }) => sink.contacts > 0).map(({ name }) => name)).toEqual([]);
  expect(caged.signs).toEqual([]);
});

test('a frame takes no orders from another frame', async () => {
  const page = await newPage();
  await page.goto(`${cage.url}/empty`);
  const addFrame = `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.onload = () => resolve(frame);
    frame.src = '/frame';
    document.body.append(frame);
  })`;
  const [spy] = [await page.evaluateHandle(addFrame), await page.evaluateHandle(addFrame)];
  const spyFrame = (await spy.asElement()!.contentFrame())!;
  const answering = (word: string) => `onmessage = ({ data }) => data.port.postMessage('${word}')`;
  // Both orders are alike; that of the spy comes first.
  await spyFrame.evaluate(`(() => {
    const { port2 } = new MessageChannel();
    parent[1].postMessage({ type: 'start', code: ${JSON.stringify(answering('of the spy'))}, port: port2 }, '*', [port2]);
  })()`);
  const said = await page.evaluate(`new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    frames[1].postMessage({ type: 'start', code: ${JSON.stringify(answering('of the page'))}, port: port2 }, '*', [port2]);
  })`);
  expect(said).toBe('of the page');
});

test('no frame ever serves two owners', async () => {
  const program = programOf(
    'let owners = []; export default (me) => { owners.push(me); return owners }',
  );
  const owners = Array.from({ length: 12 }, (_, i) => `owner ${i % 4}`);
  const keys = owners.flatMap((owner) =>
    harness.give({ ...program, jobId: `job of ${owner}` }, [owner], { owner }),
  );
  for (const [i, end] of (await harness.ends(keys)).entries()) {
    expect(new Set(valueOf(end) as string[])).toEqual(new Set([owners[i]]));
  }
  const frames = [...new Set(owners)].flatMap((owner) => [...harness.childrenOf.get(owner)!]);
  expect(frames.length).toBeGreaterThanOrEqual(4);
  expect(new Set(frames).size).toBe(frames.length);
});

test('what a task can name is what the language has and what programs are promised', async () => {
  const source = 'export default () => Object.getOwnPropertyNames(globalThis).sort()';
  const inProcess = new ExecutorHarness({ isolation: 'off' });
  try {
    const [here, there] = await Promise.all([harness.run(source), inProcess.run(source)]);
    const known = new Set(valueOf(there) as string[]);
    expect((valueOf(here) as string[]).filter((name) => !known.has(name))).toEqual([]);
  } finally {
    await inProcess.close();
  }
});

// Arrays that fill the heap of a thread are in browser-executor.test.ts; these lie outside of the heap.
test.each([
  ['buffers', 'for (;;) all.push(new ArrayBuffer(2 ** 30))'],
  ['views', 'for (;;) all.push(new Float64Array(2 ** 27))'],
  ['a text', "let text = 'x'; for (;;) text += text"],
])('a task that grows %s without end fails, and the page lives on', async (_name, body) => {
  const source = `export default () => { const all = []; ${body} }`;
  const end = await harness.run(source, null, { timeoutMs: 10_000 });
  expect(end.type).toBe('failure');
  expect(valueOf(await harness.run('export default (n) => n + 1', 41))).toBe(42);
});
