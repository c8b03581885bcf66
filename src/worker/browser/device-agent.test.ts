import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeviceStage, signs } from './testing/device-stage.ts';
import { MemoryEntries } from './testing/memory-entries.ts';
import { rulesToBeginWith } from './owner-rules.ts';

beforeEach(() => {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;
  vi.useFakeTimers({ toFake: [...toFake], now: new Date(2026, 5, 15, 12, 0) });
});
afterEach(() => void vi.useRealTimers());

const about = {
  isHandheld: false,
  platform: 'linux',
  browserName: 'Chrome',
  cores: 4,
  deviceMemoryGb: 8,
  version: '0.1.0',
  isReload: false,
};
const handheld = { isHandheld: true, platform: 'android' };

describe('before a person has consented', () => {
  test('nothing runs, and only the link is asked about', async () => {
    const stage = new DeviceStage();
    stage.wire.answers.set('/api/join', () =>
      Response.json({ coordinator_name: 'Lab', label: 'phones', needs_approval: true }),
    );
    await stage.hear({ type: 'open', token: 'link', about });
    await stage.after(10_000);
    expect(stage.wire.asked).toEqual([{ path: '/api/join', authorization: 'Bearer link' }]);
    expect([stage.wire.sockets, stage.lives]).toEqual([[], []]);
    expect(stage.told).toEqual([
      {
        type: 'known',
        device: {
          rules: rulesToBeginWith(about),
          slotsMax: 4,
          isMember: false,
          kept: 0,
          withheld: ['battery', 'pressure', 'metered'],
          isElsewhere: false,
          coordinatorName: null,
          link: { ok: true, coordinatorName: 'Lab', label: 'phones', needsApproval: true },
        },
      },
    ]);
  });

  test.each([
    [401, true, 'The token has expired.'],
    [403, false, 'The token has expired.'],
  ])('a link that is answered with %i says whether it is over', async (status, isOver, detail) => {
    const stage = new DeviceStage();
    stage.wire.answers.set('/api/join', () => Response.json({ detail }, { status }));
    await stage.hear({ type: 'open', token: 'link', about });
    expect(stage.last('known').device.link).toEqual({ ok: false, isOver, detail });
  });

  test('a link says so when nobody answers', async () => {
    const stage = new DeviceStage();
    await stage.hear({ type: 'open', token: 'link', about });
    const detail = 'The coordinator does not answer.';
    expect(stage.last('known').device.link).toEqual({ ok: false, isOver: false, detail });
  });

  test('without a link it is told who asks, where nobody needs one', async () => {
    const stage = new DeviceStage();
    stage.wire.answers.set('/api/join', () =>
      Response.json({ coordinator_name: 'Lab', id: null, needs_approval: false }),
    );
    await stage.hear({ type: 'open', token: null, about });
    expect(stage.wire.asked).toEqual([{ path: '/api/join', authorization: undefined }]);
    const link = { ok: true, coordinatorName: 'Lab', label: null, needsApproval: false };
    expect(stage.last('known').device.link).toEqual(link);
  });

  test('without a link it is not invited where one is needed', async () => {
    const stage = new DeviceStage();
    stage.wire.answers.set('/api/join', () => Response.json({ detail: 'No.' }, { status: 401 }));
    await stage.hear({ type: 'open', token: null, about });
    expect(stage.last('known').device.link).toBeNull();
  });

  test('another tab that helps already is named, and this one does nothing', async () => {
    const stage = new DeviceStage({ isElsewhere: true });
    await stage.begin();
    expect(stage.last('known').device.isElsewhere).toBe(true);
    await stage.after(10_000);
    expect(stage.wire.sockets).toEqual([]);
    expect(stage.told.at(-1)?.type).toBe('known');
    stage.isElsewhere = false;
    await stage.after(1_000);
    expect(stage.last('known').device.isElsewhere).toBe(false);
    expect(stage.wire.sockets).toEqual([]);
    await stage.hear({ type: 'begin', rules: rulesToBeginWith(about) });
    expect(stage.wire.sockets).toHaveLength(1);
  });
});

describe('a device', () => {
  test('says that it is given nothing new while it is drained', async () => {
    const stage = new DeviceStage();
    await stage.work();
    expect(stage.state).toMatchObject({ phase: 'idle', isDrained: false });
    stage.wire.socket.say({ type: 'drain', drain: true });
    await stage.after(1_000);
    expect(stage.state).toMatchObject({ phase: 'idle', isDrained: true });
    stage.wire.socket.say({ type: 'drain', drain: false });
    await stage.after(1_000);
    expect(stage.state).toMatchObject({ isDrained: false });
  });

  test('joins with the link, does its task and shows it', async () => {
    const stage = new DeviceStage();
    await stage.begin();
    expect(stage.state.phase).toBe('connecting');
    await stage.welcome({ worker_token: 'own', coordinator_name: 'Lab' });
    expect(stage.wire.socket.heard('hello')).toMatchObject([
      {
        device: {
          type: 'browser',
          platform: 'linux',
          name: 'Chrome on Linux',
          kinds: ['javascript'],
          isolation: 'ses+frame',
          slots: 3,
        },
        telemetry: { battery_level_percent: 80, cpu_load_source: 'pressure' },
      },
    ]);
    expect(stage.state).toMatchObject({ phase: 'idle', coordinatorName: 'Lab', workerId: 'w1' });
    await stage.assign(1, 'a');
    await stage.after(1_000);
    expect(stage.state).toMatchObject({ phase: 'working', tasks: [{ key: 'a#1', ranMs: 1_000 }] });
    stage.frames.succeed('a#1');
    await stage.after(500);
    expect(stage.wire.socket.heard('result')).toMatchObject([{ results: [{ value: 42 }] }]);
    expect(stage.state).toMatchObject({ phase: 'idle', kept: 1, recent: ['done'], doneEver: 1 });
    await stage.acknowledge('a');
    await stage.after(500);
    expect(stage.state).toMatchObject({ kept: 0, session: { tasks: 1, helpedMs: 1_000 } });
    expect(stage.entries?.entries.get('identity')).toEqual({ workerId: 'w1', workerToken: 'own' });
  });

  test('waits for a person at the coordinator when the link asks for one', async () => {
    const stage = new DeviceStage();
    await stage.begin();
    await stage.welcome({ worker_token: 'own', waiting_for_approval: true });
    expect(stage.state.phase).toBe('waiting');
    stage.wire.socket.say({ type: 'approved' });
    await stage.after(500);
    expect(stage.state.phase).toBe('idle');
  });

  test('goes on while there is no connection, and comes back as the same worker', async () => {
    const stage = new DeviceStage();
    await stage.work();
    await stage.assign(1, 'a');
    stage.wire.socket.drop();
    expect(stage.state).toMatchObject({ phase: 'offline', tasks: [{ key: 'a#1' }] });
    stage.frames.succeed('a#1');
    await stage.after(1_000);
    expect(stage.state.kept).toBe(1);
    expect(stage.wire.asked.at(-1)?.authorization).toBe('Bearer own');
    await stage.welcome();
    expect(stage.wire.socket.heard('hello')[0]).toMatchObject({
      worker_id: 'w1',
      attempts: [{ task_id: 'a', state: 'finished' }],
    });
    expect(stage.wire.socket.heard('result')).toMatchObject([{ results: [{ task_id: 'a' }] }]);
  });

  test('connects at once when there is a network again', async () => {
    const stage = new DeviceStage();
    await stage.work();
    stage.wire.answers.clear();
    await stage.see({ isOnline: false });
    stage.wire.socket.drop();
    await stage.after(120_000);
    stage.wire.letIn();
    await stage.see({ isOnline: true });
    expect(stage.wire.sockets).toHaveLength(2);
  });

  test('that slept is the same worker with the same attempts, and looks for its connection', async () => {
    const stage = new DeviceStage();
    await stage.work();
    await stage.assign(1, 'a');
    await stage.sleep(3_600_000);
    await stage.after(1_000);
    expect(stage.wire.sockets).toHaveLength(2);
    await stage.welcome();
    expect(stage.wire.socket.heard('hello')[0]).toMatchObject({
      worker_id: 'w1',
      attempts: [{ task_id: 'a', state: 'running' }],
    });
    expect(stage.state.phase).toBe('working');
    expect(stage.lives).toHaveLength(1);
  });

  test('uses as many slots as its owner says from now on, and loses no result by it', async () => {
    const stage = new DeviceStage();
    await stage.work({ slots: 1 });
    await stage.assign(1, 'a');
    stage.wire.socket.drop();
    stage.frames.succeed('a#1');
    await stage.hear({ type: 'rules', rules: { ...rulesToBeginWith(about), slots: 3 } });
    expect(stage.frames.slots).toBe(3);
    await stage.after(1_000);
    await stage.welcome();
    expect(stage.wire.socket.heard('hello')[0]).toMatchObject({ device: { slots: 3 } });
    expect(stage.wire.socket.heard('result')).toMatchObject([{ results: [{ task_id: 'a' }] }]);
    await stage.hear({ type: 'rules', rules: { ...rulesToBeginWith(about), slots: 1 } });
    await stage.after(500);
    expect([stage.frames.slots, stage.state.rules.slots]).toEqual([1, 1]);
  });

  test('shows why no frame can be had, until there is one', async () => {
    const stage = new DeviceStage();
    await stage.work();
    stage.frames.options.onFrameless('its frame did not open');
    await stage.after(500);
    expect(stage.state.notice).toBe('its frame did not open');
    stage.frames.options.onFrameless(null);
    await stage.after(500);
    expect(stage.state.notice).toBeNull();
  });
});

describe('a device that rests', () => {
  test('by hand hands over what runs, and is settling until nothing runs any more', async () => {
    const stage = new DeviceStage();
    await stage.work();
    await stage.assign(1, 'a');
    await stage.hear({ type: 'pause' });
    expect(stage.state).toMatchObject({
      phase: 'resting',
      rest: { because: 'paused', isSettling: true, saved: [null], untilMs: null },
    });
    expect(stage.frames.stops).toEqual([{ key: 'a#1', reason: 'leaving' }]);
    expect(stage.wire.socket.heard('heartbeat').at(-1)).toMatchObject({
      rest: { because: 'paused' },
    });
    stage.frames.save('a#1', 0.62);
    stage.frames.obey('a#1');
    await stage.after(500);
    expect(stage.state.rest).toMatchObject({ isSettling: false, saved: [0.62] });
    stage.wire.socket.say({
      type: 'ack',
      accepted: [{ task_id: 'a', attempt: 1, kind: 'checkpoint' }],
    });
    await stage.after(0);
    expect(stage.wire.socket.heard('release')).toMatchObject([{ releases: [{ task_id: 'a' }] }]);
  });

  test('by hand does not go on by itself, whatever changes', async () => {
    const stage = new DeviceStage();
    await stage.work();
    await stage.hear({ type: 'pause' });
    await stage.see({ isVisible: false });
    await stage.see({ isCharging: false });
    await stage.see({});
    stage.wire.socket.drop();
    await stage.after(1_000);
    await stage.welcome();
    expect(stage.wire.socket.heard('hello')[0]).toMatchObject({ rest: { because: 'paused' } });
    await stage.after(600_000);
    expect(stage.state.rest?.because).toBe('paused');
    await stage.hear({ type: 'go_on' });
    expect(stage.state.rest).toBeNull();
  });

  test('by hand still does when its page was loaded anew, and not when a person begins', async () => {
    const entries = new MemoryEntries();
    const first = new DeviceStage({ entries });
    await first.work();
    await first.hear({ type: 'pause' });
    await first.hear({ type: 'closing' });
    const second = new DeviceStage({ entries });
    await second.begin({}, { isReload: true });
    expect(second.state.rest?.because).toBe('paused');
    await second.hear({ type: 'closing' });
    const third = new DeviceStage({ entries });
    await third.begin();
    expect(third.state.rest).toBeNull();
  });

  test('goes on when it is plugged in, or for as long as its owner lets it', async () => {
    const stage = new DeviceStage();
    await stage.work({ onlyCharging: true });
    await stage.see({ isCharging: false });
    expect(stage.state.rest?.because).toBe('charging');
    await stage.hear({ type: 'ignore_battery', forMs: 60_000 });
    expect(stage.state).toMatchObject({
      rest: null,
      ignoresBatteryUntilMs: Date.now() + 60_000,
    });
    await stage.after(60_500);
    expect(stage.state).toMatchObject({
      rest: { because: 'charging' },
      ignoresBatteryUntilMs: null,
    });
    await stage.see({ isCharging: true });
    expect(stage.state.rest).toBeNull();
  });

  test('is not let on for longer because the clock was put back', async () => {
    const stage = new DeviceStage();
    await stage.work({ onlyCharging: true });
    await stage.see({ isCharging: false });
    await stage.hear({ type: 'ignore_battery', forMs: 60_000 });
    expect(stage.state.rest).toBeNull();
    vi.setSystemTime(Date.now() - 365 * 86_400_000);
    await stage.after(1_000);
    expect(stage.state.rest?.because).toBe('charging');
  });

  test('for its hours says until when, and begins by itself then', async () => {
    const stage = new DeviceStage();
    await stage.work({ hours: { fromMinute: 12 * 60 + 30, toMinute: 60 } });
    expect(stage.state.rest).toMatchObject({
      because: 'hours',
      untilMs: new Date(2026, 5, 15, 12, 30).getTime(),
    });
    await stage.after(30 * 60_000);
    expect(stage.state.rest).toBeNull();
  });

  test('because it is a hidden handheld keeps what runs, with a longer lease', async () => {
    const stage = new DeviceStage();
    await stage.work({}, handheld);
    await stage.assign(1, 'a');
    await stage.see({ isVisible: false });
    expect(stage.wire.socket.heard('heartbeat').at(-1)).toMatchObject({
      rest: { because: 'hidden' },
      lease_seconds: 600,
    });
    expect(stage.frames.stops).toEqual([]);
    expect(stage.frames.checkpoints).toEqual(['a#1']);
    await stage.see({ isVisible: true });
    expect(stage.wire.socket.heard('heartbeat').at(-1)).not.toHaveProperty('rest');
    expect(stage.state).toMatchObject({ phase: 'working', tasks: [{ key: 'a#1' }] });
  });
});

describe('a page that is closed', () => {
  test('says bye at once, and its next life gives back what it held at nobody’s charge', async () => {
    const entries = new MemoryEntries();
    const first = new DeviceStage({ entries });
    await first.work();
    await first.assign(1, 'a');
    first.agent.hear({ type: 'closing' });
    // Nothing may wait: the thread is gone in a moment.
    expect(first.wire.socket.heard('bye')).toHaveLength(1);
    await first.after(0);
    expect(first.heardOf('ended')).toBe(false);
    const second = new DeviceStage({ entries });
    await second.begin({}, { isReload: true }, null);
    expect(second.last('known').device.isMember).toBe(true);
    await second.welcome();
    expect(second.wire.socket.heard('hello')[0]).toMatchObject({
      worker_id: 'w1',
      attempts: [{ task_id: 'a', state: 'queued' }],
    });
    expect(second.wire.socket.heard('release')).toMatchObject([{ releases: [{ task_id: 'a' }] }]);
    expect(second.frames.tasks.size).toBe(0);
  });

  test('by a crash gives nothing back without a charge, also after it was closed properly before', async () => {
    const entries = new MemoryEntries();
    const first = new DeviceStage({ entries });
    await first.work();
    await first.assign(1, 'a');
    await first.hear({ type: 'closing' });
    const second = new DeviceStage({ entries });
    await second.begin();
    const third = new DeviceStage({ entries });
    await third.begin();
    await third.welcome();
    expect(third.wire.socket.heard('hello')[0]?.attempts).toEqual([]);
  });

  test('that was closed faster than its agent could hear gives back what it held a moment before', async () => {
    for (const wasClosed of [true, false]) {
      const entries = new MemoryEntries();
      const first = new DeviceStage({ entries });
      await first.work();
      await first.assign(1, 'a');
      await first.after(500);
      const second = new DeviceStage({ entries });
      await second.begin({}, { wasClosed });
      await second.welcome();
      const named = wasClosed ? [{ task_id: 'a', state: 'queued' }] : [];
      expect(second.wire.socket.heard('hello')[0]?.attempts).toMatchObject(named);
      expect(second.wire.socket.heard('release')).toHaveLength(named.length);
    }
  });

  test('keeps a list of what it holds only as long as it holds something', async () => {
    const entries = new MemoryEntries();
    const stage = new DeviceStage({ entries });
    await stage.work();
    await stage.assign(1, 'a');
    await stage.after(500);
    expect(entries.entries.get('holding')).toMatchObject([{ task_id: 'a' }]);
    stage.frames.succeed('a#1', '1');
    await stage.after(500);
    expect(entries.entries.has('holding')).toBe(false);
  });

  test('is closed fifty times while nobody answers, and still gives back what it held', async () => {
    const entries = new MemoryEntries();
    const first = new DeviceStage({ entries });
    await first.work();
    await first.assign(1, 'a');
    await first.hear({ type: 'closing' });
    for (let i = 0; i < 50; i++) {
      const next = new DeviceStage({ entries });
      next.wire.answers.clear();
      await next.begin({}, { isReload: true });
      await next.hear({ type: 'closing' });
    }
    const last = new DeviceStage({ entries });
    await last.begin();
    await last.welcome();
    expect(last.wire.socket.heard('hello')[0]?.attempts).toMatchObject([{ task_id: 'a' }]);
  });

  test('hands in what it did while it was offline, when it is opened again', async () => {
    const entries = new MemoryEntries();
    const first = new DeviceStage({ entries });
    await first.work();
    await first.assign(1, 'a');
    first.wire.answers.clear();
    first.wire.socket.drop();
    first.frames.succeed('a#1', '"done offline"');
    await first.hear({ type: 'closing' });
    const second = new DeviceStage({ entries });
    await second.begin();
    expect(second.last('known').device.kept).toBe(1);
    await second.welcome();
    expect(second.wire.socket.heard('hello')[0]?.attempts).toMatchObject([
      { task_id: 'a', state: 'finished' },
    ]);
    expect(second.wire.socket.heard('result')).toMatchObject([
      { results: [{ task_id: 'a', value: 'done offline' }] },
    ]);
    expect(second.frames.tasks.size).toBe(0);
    await second.acknowledge('a');
    await second.after(500);
    expect(second.state.kept).toBe(0);
    expect([...entries.entries.keys()].filter((name) => name.startsWith('report'))).toEqual([]);
  });

  test('and was not after all works again as the same worker', async () => {
    const stage = new DeviceStage();
    await stage.work();
    await stage.assign(1, 'a');
    const [before] = stage.lives;
    await stage.hear({ type: 'closing' });
    expect(before?.isClosed).toBe(true);
    expect(stage.hasTab).toBe(false);
    await stage.hear({ type: 'not_closed' });
    await stage.welcome();
    expect(stage.wire.socket.heard('hello')[0]).toMatchObject({ worker_id: 'w1' });
    expect(stage.state.phase).toBe('idle');
    expect([stage.hasTab, stage.lives.length]).toEqual([true, 2]);
  });

  test('takes no answer to an order of its earlier life for one of the next', async () => {
    const stage = new DeviceStage();
    await stage.work();
    stage.frames.options.tellPage({ type: 'open_frame', id: 1 });
    const before = stage.last('open_frame').id;
    await stage.hear({ type: 'closing' });
    await stage.hear({ type: 'not_closed' });
    stage.frames.options.tellPage({ type: 'open_frame', id: 1 });
    const after = stage.last('open_frame').id;
    const { port1, port2 } = new MessageChannel();
    const isShut = new Promise((resolve) => port2.addEventListener('close', resolve));
    await stage.hear({ type: 'frame_opened', id: before, port: port1 });
    await isShut;
    await stage.hear({ type: 'frame_failed', id: after, why: 'no' });
    expect(stage.frames.answers).toEqual([{ type: 'frame_failed', id: 1, why: 'no' }]);
  });
});

describe('the end', () => {
  test('by the person hands over what runs, says bye and tells what was done', async () => {
    const stage = new DeviceStage();
    await stage.work();
    await stage.assign(1, 'a');
    await stage.hear({ type: 'leave' });
    expect(stage.state.phase).toBe('leaving');
    expect(stage.frames.stops).toEqual([{ key: 'a#1', reason: 'leaving' }]);
    stage.frames.save('a#1', 0.5);
    stage.frames.obey('a#1');
    stage.wire.socket.say({
      type: 'ack',
      accepted: [{ task_id: 'a', attempt: 1, kind: 'checkpoint' }],
    });
    await stage.after(0);
    const types = stage.wire.socket.messages.map(({ type }) => type);
    expect(types.indexOf('checkpoint')).toBeLessThan(types.indexOf('bye'));
    expect(stage.last('ended').end).toMatchObject({ why: 'left', session: { tasks: 0 } });
    expect([stage.hasTab, stage.frames.isClosed]).toEqual([false, true]);
  });

  test('by the person comes in time, when a task does not stop', async () => {
    const stage = new DeviceStage();
    await stage.work();
    await stage.assign(1, 'a');
    await stage.hear({ type: 'leave' });
    await stage.after(4_000);
    expect(stage.wire.socket.heard('bye')).toHaveLength(1);
    expect(stage.last('ended').end.why).toBe('left');
  });

  test('of one that nobody has let in is no removal', async () => {
    const stage = new DeviceStage();
    await stage.begin();
    await stage.welcome({ worker_token: 'own', waiting_for_approval: true });
    stage.wire.socket.say({ type: 'deregistered', detail: 'It was not let in.' });
    await stage.after(0);
    expect(stage.last('ended').end).toMatchObject({ why: 'refused', detail: 'It was not let in.' });
  });

  test('by an operator is told in the words of the coordinator', async () => {
    const stage = new DeviceStage();
    await stage.work();
    stage.wire.socket.say({ type: 'deregistered', detail: 'An operator has removed it.' });
    await stage.after(0);
    expect(stage.last('ended').end).toMatchObject({
      why: 'removed',
      detail: 'An operator has removed it.',
    });
    expect(stage.entries?.entries.has('identity')).toBe(false);
  });

  test('comes with a sentence when the coordinator knows it no more and there is no link', async () => {
    const entries = new MemoryEntries();
    entries.entries.set('identity', { workerId: 'w0', workerToken: 'old' });
    const stage = new DeviceStage({ entries });
    stage.wire.refuse(401, 'The token is not one of this coordinator.');
    await stage.begin({}, {}, null);
    expect(stage.last('ended').end).toMatchObject({
      why: 'refused',
      detail: expect.stringMatching(/does not know this device any more.*new link/),
    });
  });

  test('tells of names and reasons no more than a person reads', async () => {
    const stage = new DeviceStage();
    const long = 'x'.repeat(100_000);
    stage.wire.answers.set('/api/join', () =>
      Response.json({ coordinator_name: long, label: long }),
    );
    await stage.begin();
    expect(JSON.stringify(stage.last('known')).length).toBeLessThan(2_000);
    await stage.welcome({ worker_token: 'own', coordinator_name: long });
    expect(stage.state.coordinatorName).toHaveLength(200);
    stage.wire.socket.say({ type: 'deregistered', detail: long });
    await stage.after(0);
    expect(stage.last('ended').end.detail.length).toBeLessThan(5_000);
  });

  test('does not come while there is a link: it joins anew with that', async () => {
    const entries = new MemoryEntries();
    entries.entries.set('identity', { workerId: 'w0', workerToken: 'old' });
    const stage = new DeviceStage({ entries });
    stage.wire.answers.set('/api/session/ticket', ({ headers }) =>
      (headers as Record<string, string>)['authorization'] === 'Bearer link'
        ? Response.json({ ticket: 'x' })
        : Response.json({ detail: 'No.' }, { status: 401 }),
    );
    await stage.begin();
    await stage.after(1_000);
    await stage.welcome({ worker_id: 'w2', worker_token: 'new' });
    expect(stage.wire.socket.heard('hello')[0]).not.toHaveProperty('worker_id');
    await stage.after(0);
    expect(entries.entries.get('identity')).toEqual({ workerId: 'w2', workerToken: 'new' });
  });

  test('registers anew with its own token when the database was cleared', async () => {
    const stage = new DeviceStage();
    await stage.work();
    stage.wire.socket.say({ type: 'deregistered', detail: 'Cleared.', register_after_seconds: 1 });
    await stage.after(2_000);
    expect(stage.heardOf('ended')).toBe(false);
    expect(stage.wire.asked.at(-1)?.authorization).toBe('Bearer own');
    await stage.welcome({ worker_id: 'w2' });
    expect(stage.wire.socket.heard('hello')[0]).not.toHaveProperty('worker_id');
  });

  test('by a fault says what it was', async () => {
    const stage = new DeviceStage();
    await stage.work();
    stage.agent.fault('x is not a function');
    await stage.after(0);
    expect(stage.told.filter(({ type }) => type === 'ended')).toMatchObject([
      { end: { why: 'fault', detail: expect.stringContaining('x is not a function') } },
    ]);
    expect(stage.frames.isClosed).toBe(true);
  });

  test('leaves it known who asked, for the next time without a link', async () => {
    const entries = new MemoryEntries();
    const first = new DeviceStage({ entries });
    await first.begin();
    await first.welcome({ worker_token: 'own', coordinator_name: 'Lab' });
    await first.hear({ type: 'leave' });
    const second = new DeviceStage({ entries });
    await second.hear({ type: 'open', token: null, about });
    expect(second.last('known').device).toMatchObject({ isMember: true, coordinatorName: 'Lab' });
  });

  test('is followed by another begin, or by forgetting all that is kept', async () => {
    const stage = new DeviceStage();
    await stage.work();
    await stage.hear({ type: 'forget' });
    expect(stage.entries?.entries.has('identity')).toBe(true);
    await stage.hear({ type: 'leave' });
    await stage.hear({ type: 'begin', rules: rulesToBeginWith(about) });
    await stage.welcome();
    expect(stage.wire.socket.heard('hello')[0]).toMatchObject({ worker_id: 'w1' });
    await stage.hear({ type: 'leave' });
    await stage.hear({ type: 'forget' });
    expect(stage.entries?.entries.size).toBe(0);
    expect(stage.last('known').device).toMatchObject({ isMember: false, kept: 0 });
  });
});

describe('a browser that keeps nothing', () => {
  test.each(['none', 'fails', 'silent'] as const)(
    'is worked with all the same: %s',
    async (mood) => {
      const entries = mood === 'none' ? null : new MemoryEntries();
      if (entries !== null) entries.mood = mood as 'fails' | 'silent';
      const stage = new DeviceStage({ entries });
      await stage.hear({ type: 'signs', signs });
      await stage.hear({ type: 'open', token: 'link', about });
      await stage.after(2_000);
      await stage.hear({ type: 'begin', rules: rulesToBeginWith(about) });
      expect(stage.last('known').device.withheld).toContain('storage');
      await stage.welcome({ worker_token: 'own' });
      await stage.assign(1, 'a');
      stage.frames.succeed('a#1');
      await stage.after(2_500);
      expect(stage.state).toMatchObject({ phase: 'idle', withheld: ['storage'] });
      expect(stage.wire.socket.heard('result')).toHaveLength(1);
    },
  );
});
