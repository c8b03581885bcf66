import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eventTypes } from '../../src/coordinator/streams/wire-events.ts';
import { eventSchemas } from '../../src/protocol/schemas/events.ts';
import { eventTexts } from '../../src/server/event-text.ts';
import { EventReader, type ReceivedEvent } from './support/event-reader.ts';
import { eventually, type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

let circles = 0;
const circle = () => ({ labels: { circle: `${circles++}` } });
const isOf = (type: string) => (event: ReceivedEvent) => event.type === type;
const until = (reader: EventReader, isThere: (event: ReceivedEvent) => boolean) =>
  eventually(
    async () => reader.events,
    (events) => events.some(isThere),
  );

async function open(query = '', lastEventId?: string): Promise<EventReader> {
  const reader = new EventReader(live.url, query, lastEventId);
  await reader.opened;
  await eventually(
    async () => reader.lastEventId,
    (place) => place !== undefined || reader.status !== 200,
  );
  return reader;
}

describe('what is told', () => {
  test('"a comment line is sent at once", as a stream that nobody stores', async () => {
    const reader = await open();
    expect([reader.status, reader.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(reader.comments).toHaveLength(1);
    expect(reader.events).toEqual([]);
    // The id of the current place comes at once, so that a cut before the first event loses nothing.
    expect(reader.lastEventId).toBeTruthy();
    await reader.cut();
  });

  test('every event of a job, in order, with `id:`, `event:` and `data:` that fits its schema', async () => {
    const only = circle();
    const id = await live.submit([1, 'bad'], { requirements: only, max_attempts: 1 });
    const reader = await open(`?job_id=${id}`);
    const worker = await live.worker(
      ({ input }) => (input === 'bad' ? { error: 'no' } : { value: input }),
      { slots: 1, ...only },
    );
    const events = await until(reader, isOf('job_finished'));
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'task_assigned')).toHaveLength(2);
    expect(types).toEqual(expect.arrayContaining(['task_completed', 'task_failed']));
    for (const { id: eventId, type, data } of events) {
      expect(eventId).not.toBe('');
      const value = JSON.parse(data) as { type: string; job_id: string };
      eventSchemas[type as keyof typeof eventSchemas].strict().parse(value);
      expect([value.type, value.job_id]).toEqual([type, id]);
    }
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    await reader.cut();
    worker.end();
  });

  test('without a filter: jobs, workers and scheduler, but "per-task events need `job_id` or `types`"', async () => {
    const reader = await open();
    const only = circle();
    const worker = await live.worker(({ input }) => ({ value: input }), only);
    await live.call('POST', '/api/scheduler/activate/edas');
    const id = await live.submit([1], { requirements: only });
    const events = await until(reader, ({ data }) => data.includes('job_finished'));
    const types = new Set(events.map(({ type }) => type));
    expect(types).toContain('worker_registered');
    expect(types).toContain('scheduler_configured');
    expect(types).toContain('job_submitted');
    expect([...types].filter((type) => /^(?:task|attempt)_/.test(type))).toEqual([]);
    for (const { type, data } of events) {
      eventSchemas[type as keyof typeof eventSchemas].strict().parse(JSON.parse(data));
    }
    expect(events.find(isOf('job_finished'))!.data).toContain(id);
    await reader.cut();
    worker.end();
  });

  test('`?types=` lets only those through', async () => {
    const reader = await open('?types=task_completed,job_cancelled');
    const only = circle();
    const worker = await live.worker(({ input }) => ({ value: input }), only);
    await live.submit([1, 2], { requirements: only });
    const never = await live.submit([3], { requirements: circle() });
    await live.call('POST', `/api/jobs/${never}/cancel`);
    const events = await until(reader, isOf('job_cancelled'));
    await eventually(
      async () => events.filter(isOf('task_completed')).length,
      (count) => count === 2,
    );
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['task_completed', 'job_cancelled']),
    );
    await reader.cut();
    worker.end();
  });

  test('`?types=counters`: "about each second", with no id, so that no place in the stream moves', async () => {
    const only = circle();
    const id = await live.submit([1, 2, 3], { requirements: only });
    const reader = await open(`?types=counters&job_id=${id}`);
    const place = reader.lastEventId;
    const worker = await live.worker(({ input }) => ({ value: input }), { slots: 1, ...only });
    const [first] = await until(reader, isOf('counters'));
    expect(first!.id).toBe('');
    const told = () =>
      reader.events.map(({ data }) => eventSchemas.counters.strict().parse(JSON.parse(data)));
    // The job is told until it has ended.
    await eventually(
      async () => told().at(-1)!,
      ({ open_jobs: jobs }) => jobs.length === 0,
    );
    expect(told().reduce((sum, counters) => sum + counters.completed_since, 0)).toBe(3);
    expect(told().every(({ open_jobs: jobs }) => jobs.every((job) => job.job_id === id))).toBe(
      true,
    );
    expect(new Set(reader.events.map(({ type }) => type))).toEqual(new Set(['counters']));
    expect(reader.lastEventId).toBe(place);
    await reader.cut();
    worker.end();
  });

  test('the schemas and the stream know the same types', () => {
    expect(Object.keys(eventSchemas)).toEqual(Object.keys(eventTypes));
  });
});

describe('what is refused', () => {
  test.each([
    ['/api/events?types=gossip', 422],
    ['/api/events?types=', 422],
    ['/api/events?types=job_finished,', 422],
    ['/api/events?types=reset&types=reset', 422],
    ['/api/events?job_id=a&job_id=b', 422],
    ['/api/events?job_id=', 404],
    ['/api/events?job_id=x', 404],
    ['/api/events?job_id=__proto__', 404],
  ])('%s: %i', async (path, status) => {
    expect((await live.call('GET', path)).status).toBe(status);
  });

  test('`HEAD` answers without a stream', async () => {
    const { status, text } = await live.call('HEAD', '/api/events');
    expect([status, text]).toEqual([200, '']);
  });
});

describe('taking it up again', () => {
  test('"resumable by `Last-Event-ID`", as a header or in the query', async () => {
    const reader = await open('?types=job_submitted');
    const first = await live.submit([1], { requirements: circle() });
    await until(reader, ({ data }) => data.includes(first));
    const place = reader.lastEventId!;
    await reader.cut();
    const second = await live.submit([2], { requirements: circle() });
    for (const again of [
      await open('?types=job_submitted', place),
      await open(`?types=job_submitted&last_event_id=${place}`),
    ]) {
      const events = await until(again, ({ data }) => data.includes(second));
      expect(events).toHaveLength(1);
      await again.cut();
    }
  });

  test.each(['x', '0', '-1', 'of-another-life-17', '%00', 'é', 'a'.repeat(5000)])(
    '"when the id is too old the first event is `reset`": %s',
    async (id) => {
      const reader = await open(`?last_event_id=${encodeURIComponent(id)}`);
      const [event] = await until(reader, () => true);
      expect(event!.type).toBe('reset');
      expect(event!.id).not.toBe('');
      await reader.cut();
    },
  );

  test('"the event stream sends `reset`" when the database is cleared', async () => {
    const other = await startLiveServer();
    const reader = new EventReader(other.url);
    await reader.opened;
    await other.call('DELETE', '/api/database/clear');
    const events = await until(reader, isOf('reset'));
    expect(JSON.parse(events.find(isOf('reset'))!.data)).toMatchObject({ reason: 'cleared' });
    await reader.cut();
    await other.close();
  });
});

test('"a client that is cut off a hundred times at random sees every event of its job exactly once or is told `reset`"', async () => {
  const only = circle();
  const count = 600;
  const id = await live.submit(
    Array.from({ length: count }, (_, i) => i),
    { requirements: only },
  );
  const query = `?job_id=${id}`;
  let reader = await open(query);
  const seen: ReceivedEvent[] = [];
  // Told at once: nothing has happened yet.
  let place = reader.lastEventId!;
  let resets = 0;
  let cuts = 0;
  const whole = await open(query);
  const random = seeded(20_260_504);
  const worker = await live.worker(() => undefined, { slots: 4, ...only });
  let answered = 0;
  const feed = setInterval(() => {
    const tasks = worker.received.flatMap((each) =>
      each.type === 'assign' ? each.assignments : [],
    );
    const results = tasks
      .slice(answered, answered + 4)
      .map(({ task_id, attempt, token }) => ({ task_id, attempt, token, value: 1 }));
    answered += results.length;
    if (results.length > 0) worker.say({ type: 'result', results });
  }, 8);
  const take = () => {
    seen.push(...reader.events);
    place = reader.lastEventId ?? place;
    resets += reader.events.filter(isOf('reset')).length;
  };
  for (; cuts < 100; cuts++) {
    await reader.cut();
    take();
    reader = new EventReader(live.url, query, place);
    // Sometimes before the headers, sometimes in the middle of events.
    await new Promise((resolve) => setTimeout(resolve, random() * 25));
  }
  await eventually(
    async () => (await live.call('GET', `/api/jobs/${id}?tasks=false`)).body.status,
    (status) => status === 'completed',
  );
  clearInterval(feed);
  await until(whole, isOf('job_finished'));
  await eventually(
    async () => [...seen, ...reader.events],
    (events) => events.some(isOf('job_finished')),
  );
  take();
  await reader.cut();
  await whole.cut();
  expect(resets).toBe(0);
  expect(seen.map((event) => event.id)).toEqual(whole.events.map((event) => event.id));
  const completed = seen.filter(isOf('task_completed'));
  expect(new Set(completed.map(({ data }) => JSON.parse(data).index as number)).size).toBe(count);
  expect(completed).toHaveLength(count);
  worker.end();
}, 60_000);

describe('the text of the stream', () => {
  const event = (data: string) => [{ id: '7', type: 'job_finished', data }];

  test('"and every 15 s": a comment while nothing happens', async () => {
    let isOver = false;
    const texts: string[] = [];
    const comments = () => texts.filter((text) => text.startsWith(': ')).length;
    async function* quiet() {
      await vi.waitUntil(() => comments() > 2, { timeout: 30_000 });
      yield event('{}');
      isOver = true;
    }
    for await (const text of eventTexts(quiet(), { pauseMs: 10 })) texts.push(text);
    expect(isOver).toBe(true);
    expect(texts[0]).toMatch(/^: .*\nretry: \d+\n\n$/);
    expect(comments()).toBeGreaterThan(2);
    expect(texts.at(-1)).toBe('id: 7\nevent: job_finished\ndata: {}\n\n');
  });

  test('an event without a place has no `id:`, which would be taken for the empty one', async () => {
    async function* one() {
      yield [{ id: '', type: 'counters', data: '{}' }];
    }
    const texts = await Array.fromAsync(eventTexts(one()));
    expect(texts.at(-1)).toBe('event: counters\ndata: {}\n\n');
  });

  test('a line break in `data` does not end it', async () => {
    async function* one() {
      yield event('{\n"a":\r\n1\r}');
    }
    const texts: string[] = [];
    for await (const text of eventTexts(one())) texts.push(text);
    expect(texts.at(-1)).toBe(
      'id: 7\nevent: job_finished\ndata: {\ndata: "a":\ndata: 1\ndata: }\n\n',
    );
  });

  test('nothing is pulled that is not read, and the source ends with its reader', async () => {
    let pulled = 0;
    let hasEnded = false;
    async function* endless() {
      try {
        for (;;) yield event(String(pulled++));
      } finally {
        hasEnded = true;
      }
    }
    const texts = eventTexts(endless());
    for (let i = 0; i < 3; i++) await texts.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(pulled).toBeLessThanOrEqual(3);
    await texts.return(undefined);
    expect(hasEnded).toBe(true);
  });
});

test('a reader that does not read costs a bounded amount of memory, and no other reader waits', async () => {
  const only = circle();
  const count = 20_000;
  const id = await live.submit({ range: { start: 0, count } }, { requirements: only });
  const stuck = await fetch(`${live.url}/api/events?job_id=${id}`);
  const reader = await open(`?job_id=${id}`);
  const before = process.memoryUsage().rss;
  const worker = await live.worker(({ input }) => ({ value: input }), { slots: 64, ...only });
  const events = await until(reader, isOf('job_finished'));
  expect(events.filter(isOf('task_completed'))).toHaveLength(count);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  await stuck.body!.cancel();
  await reader.cut();
  worker.end();
}, 60_000);

test('the stream ends when the server closes', async () => {
  const other = await startLiveServer();
  const reader = new EventReader(other.url);
  await reader.opened;
  const before = performance.now();
  await other.close();
  await reader.closed;
  expect(performance.now() - before).toBeLessThan(2500);
});

/** A small generator of numbers from 0 to 1, the same on every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
