// The agent of a page with a real coordinator: what browsers have for the network, Node has too. Frames and the
// database of the browser are played.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import { DeviceAgent } from '../../src/worker/browser/device-agent.ts';
import { rulesToBeginWith } from '../../src/worker/browser/owner-rules.ts';
import type { DeviceState, FromAgent } from '../../src/worker/browser/page-messages.ts';
import { desktop, FakeFrames, noPayloads } from '../../src/worker/browser/testing/device-stage.ts';
import { MemoryEntries } from '../../src/worker/browser/testing/memory-entries.ts';
import { type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let entries: MemoryEntries;
const agents: DeviceAgent[] = [];
beforeEach(async () => {
  live = await startLiveServer();
  entries = new MemoryEntries();
});
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.hear({ type: 'closing' });
  await live.close();
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { timeout: 20_000, interval: 5 }).toBe(true);
}

async function make(asked: TokenAsked): Promise<string> {
  const made = await live.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

/** A page that is opened with a token, or with none, and begins. */
async function openPage(token: string | null) {
  const told: FromAgent[] = [];
  const lives: FakeFrames[] = [];
  const agent = new DeviceAgent({
    tell: (message) => told.push(message),
    createExecutor: (options) => {
      const frames = new FakeFrames(options);
      lives.push(frames);
      return frames;
    },
    createPayloads: () => noPayloads,
    entries,
    tab: { take: async () => true, letGo: () => {}, isElsewhere: async () => false },
    wire: {
      fetch: (path, request) => fetch(live.url + path, request),
      openSocket: (path, protocols) =>
        new WebSocket(live.url.replace(/^http/, 'ws') + path, protocols),
    },
    random: () => 0.5,
    probeMs: () => 0,
    epochMs: Date.now,
    monotonicMs: () => performance.now(),
    isSecure: true,
  });
  agents.push(agent);
  agent.hear({ type: 'open', token, about: desktop });
  await until(() => told.some(({ type }) => type === 'known'));
  agent.hear({ type: 'begin', rules: rulesToBeginWith(desktop) });
  const last = <T extends FromAgent['type']>(type: T) =>
    told.findLast((message) => message.type === type) as
      | Extract<FromAgent, { readonly type: T }>
      | undefined;
  const state = (): DeviceState | undefined => last('state')?.state;
  return { agent, told, lives, last, state };
}

describe.each(['with a link', 'where nobody needs a token'])('a page %s', (how) => {
  let token: string | null;
  let headers: Record<string, string>;
  beforeEach(async () => {
    const isOpen = how !== 'with a link';
    headers = isOpen ? {} : { authorization: `Bearer ${await make({ kind: 'admin' })}` };
    token = isOpen ? null : await make({ kind: 'join', uses: 1 });
  });

  test('joins, does a task, and comes back as the same worker without the link', async () => {
    const first = await openPage(token);
    await until(() => first.state()?.phase === 'idle');
    const workerId = first.state()?.workerId;
    const job = await live.call('POST', '/api/jobs', { json: { program, inputs: [1] }, headers });
    await until(() => first.lives[0]?.tasks.size === 1);
    const [key] = [...first.lives[0]!.tasks.keys()];
    first.lives[0]!.succeed(key!, '7');
    await until(async () => {
      const { body } = await live.call('GET', `/api/jobs/${job.body.id}`, { headers });
      return body.status === 'completed';
    });
    first.agent.hear({ type: 'closing' });
    const second = await openPage(null);
    await until(() => second.state()?.phase === 'idle');
    expect(second.state()).toMatchObject({ workerId, doneEver: 1, kept: 0 });
    const { body } = await live.call('GET', '/api/workers', { headers });
    expect(body).toHaveLength(1);
  });

  test('that is closed gives its task back at nobody’s charge', async () => {
    const first = await openPage(token);
    await until(() => first.state()?.phase === 'idle');
    const job = await live.call('POST', '/api/jobs', { json: { program, inputs: [1] }, headers });
    await until(() => first.lives[0]?.tasks.size === 1);
    const [key] = [...first.lives[0]!.tasks.keys()];
    first.lives[0]!.start(key!);
    first.agent.hear({ type: 'closing' });
    const second = await openPage(null);
    await until(() => second.lives[0]?.tasks.size === 1);
    const [again] = [...second.lives[0]!.tasks.keys()];
    second.lives[0]!.succeed(again!, '7');
    await until(async () => {
      const { body } = await live.call('GET', `/api/jobs/${job.body.id}`, { headers });
      return body.status === 'completed';
    });
    const { body } = await live.call('GET', `/api/jobs/${job.body.id}/tasks/0`, { headers });
    expect(body.attempts.map(({ status }: { status: string }) => status)).not.toContain('failed');
    expect(body.failures ?? 0).toBe(0);
  });
});

test('a page without a link is told that it needs one', async () => {
  await make({ kind: 'admin' });
  const page = await openPage(null);
  await until(() => page.last('ended') !== undefined);
  expect(page.last('ended')?.end).toMatchObject({
    why: 'refused',
    detail: expect.stringContaining('needs a link'),
  });
});
