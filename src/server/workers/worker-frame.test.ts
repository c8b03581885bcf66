import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { payloadText } from '../../protocol/codec.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import {
  heartbeatSchema,
  heldAttemptSchema,
  reportSchemas,
} from '../../protocol/schemas/worker-messages.ts';
import {
  isHeartbeatAttempt,
  isHeldAttempt,
  reportChecks,
  type ReportName,
} from './report-checks.ts';
import { createFrameReader } from './worker-frame.ts';

const strange = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom<unknown>(
    null,
    '',
    'x',
    0,
    1,
    -1,
    0.5,
    2,
    1e13,
    Infinity,
    NaN,
    true,
    [],
    {},
    2 ** 53,
  ),
  fc.constant('x'.repeat(201)),
);
const hash = fc.oneof(fc.constantFrom('0a'.repeat(32), '0A'.repeat(32), '0a'), strange);
const packed = fc.oneof(fc.constantFrom('H4sIAA==', '====', 'H4 s'), strange);
const entries = fc.oneof(
  strange,
  fc.record(
    {
      task_id: fc.oneof({ weight: 4, arbitrary: fc.constant('job.1') }, strange),
      attempt: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, strange),
      token: fc.oneof({ weight: 4, arbitrary: fc.constant('token') }, strange),
      value: fc.oneof({ weight: 3, arbitrary: fc.jsonValue() }, strange),
      blobs: fc.oneof({ weight: 2, arbitrary: fc.array(hash, { maxLength: 3 }) }, strange),
      state: fc.oneof({ weight: 3, arbitrary: fc.jsonValue() }, strange),
      state_gzip: packed,
      state_blob: hash,
      sha256: hash,
      size_bytes: fc.oneof(fc.constant(9000), strange),
      progress: fc.oneof({ weight: 3, arbitrary: fc.constant(0.5) }, strange),
      sequence: fc.oneof({ weight: 3, arbitrary: fc.constant(2) }, strange),
      checkpoint_sequence: strange,
      message: strange,
      run_ms: strange,
      cpu_seconds: strange,
      energy_joules: strange,
      error_type: fc.oneof(fc.constant('Error'), strange),
      error_message: fc.oneof(fc.constant('no'), strange),
      error_stack: fc.oneof(fc.constant('at f (program:1:1)'), strange),
      output: fc.oneof(fc.constant('hello'), strange),
      retryable: strange,
      reason: fc.oneof(fc.constant('tired'), strange),
    },
    { requiredKeys: ['task_id', 'attempt', 'token'] },
  ),
);

/** As it comes from a socket: no key holds `undefined`, no number is infinite. */
const onWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

describe('the checks by hand and the schemas agree', () => {
  test.each(Object.keys(reportChecks) as ReportName[])('%s', (name) => {
    const payload = name === 'result' ? 'value' : null;
    fc.assert(
      fc.property(entries, (made) => {
        const entry = onWire(made);
        const isComplete =
          payload === null || (typeof entry === 'object' && entry !== null && payload in entry);
        const allowed = reportSchemas[name].safeParse(entry).success && isComplete;
        expect(reportChecks[name](entry)).toBe(allowed);
      }),
      { numRuns: 2000 },
    );
  });

  test('attempts in a hello', () => {
    const held = fc.oneof(
      strange,
      fc
        .tuple(entries, fc.oneof(fc.constantFrom('queued', 'running', 'finished'), strange))
        .map(([entry, state]) => (typeof entry === 'object' ? { ...entry, state } : entry)),
    );
    fc.assert(
      fc.property(held, (made) => {
        const entry = onWire(made);
        expect(isHeldAttempt(entry)).toBe(heldAttemptSchema.safeParse(entry).success);
      }),
      { numRuns: 2000 },
    );
  });

  test('attempts in a heartbeat', () => {
    const schema = heartbeatSchema.shape.running.element;
    fc.assert(
      fc.property(entries, (made) => {
        const entry = onWire(made);
        expect(isHeartbeatAttempt(entry)).toBe(schema.safeParse(entry).success);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a frame', () => {
  const reader = createFrameReader(defaultLimits);
  const read = (text: string, patience = Infinity) => reader(Buffer.from(text), patience);

  test('of anything at all is answered, unless it says nothing, and never thrown at', async () => {
    const types = ['hello', 'heartbeat', 'bye', 'result', 'failure', 'release', 'checkpoint', 'x'];
    const message = fc.record({ type: fc.constantFrom(...types), results: fc.array(entries) });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          message.map((each) => JSON.stringify(each)),
        ),
        async (text) => {
          const { messages, answers } = await read(text);
          const isEmpty = text === '[]' || text === '{"type":"result","results":[]}';
          expect(messages.length + answers.length).toBeGreaterThan(isEmpty ? -1 : 0);
        },
      ),
      { examples: [['[]'], [''], ['{"type":"result","results":[]}']] },
    );
  });

  test('has its payloads as JSON text, just as it was sent', async () => {
    const ref = '"task_id":"j.0","attempt":1,"token":"t"';
    const value = '{ "n": 12345678901234567890, "x": 1.50, "é": "\\u00e9" }';
    const { messages } = await read(`{"type":"result","results":[{${ref},"value": ${value} }]}`);
    const [message] = messages;
    expect(message?.type === 'result' && payloadText(message.results[0]!.value)).toBe(value);
  });

  test('has its payloads on one line each, which a stream of results relies on', async () => {
    const ref = '"task_id":"j.0","attempt":1,"token":"t"';
    const value = '[1,\r\n "a\\nb",\r2]';
    const { messages } = await read(`{"type":"result","results":[{${ref},"value":${value}}]}`);
    const [message] = messages;
    const text = message?.type === 'result' ? payloadText(message.results[0]!.value) : '';
    expect(text).toBe('[1,   "a\\nb", 2]');
    expect(JSON.parse(text)).toEqual(JSON.parse(value));
  });

  test('has what an attempt says of its progress, cut to its limit', async () => {
    const entry = { task_id: 'j.0', attempt: 1, token: 't', progress: 0.5 };
    const said = async (text: string) => {
      const progress = [{ ...entry, message: text }];
      const [message] = (await read(JSON.stringify({ type: 'progress', progress }))).messages;
      return message?.type === 'progress' ? message.progress[0]!.message : undefined;
    };
    expect(await said('x'.repeat(1000))).toBe('x'.repeat(1000));
    expect(await said('x'.repeat(500_000))).toBe(`${'x'.repeat(999)}…`);
  });

  test('gives one answer to all that is wrong in it', async () => {
    const { messages, answers, badCount } = await read(
      `[${'{"type":"gossip"},'.repeat(500)}{"type":"result","results":[null,null]}]`,
    );
    expect([messages, badCount]).toEqual([[], 502]);
    expect(answers).toEqual([
      expect.objectContaining({
        type: 'error',
        fatal: false,
        detail: 'There is no message of the type "gossip". (501 more like this in the same frame.)',
      }),
    ]);
  });

  test('is not read on when patience ends', async () => {
    const { messages, badCount } = await read(
      `[${'{"type":"gossip"},'.repeat(30)}{"type":"bye","reason":""}]`,
      20,
    );
    expect([messages, badCount]).toEqual([[], 20]);
  });

  test('explains the first bad entries by their schema, the others in short', async () => {
    const bad = { task_id: 'j.0', attempt: 1, token: 't', value: 1, run_ms: -5 };
    const results = Array.from({ length: 1000 }, () => bad);
    const { answers } = await read(JSON.stringify({ type: 'result', results }));
    const [answer] = answers;
    const details = answer?.type === 'reject' ? answer.rejected.map(({ detail }) => detail) : [];
    expect(details).toHaveLength(1000);
    expect(details[0]).toContain('run_ms');
    expect(new Set(details.slice(20))).toEqual(
      new Set(['The entry breaks its schema, as others before it do.']),
    );
  });

  test('names the first bad attempt of a long list', async () => {
    const attempt = { task_id: 'j.0', attempt: 1, token: 't' };
    const running = [
      ...Array.from({ length: 5 }, () => attempt),
      { ...attempt, progress: 2 },
      null,
    ];
    const beat = { type: 'heartbeat', heartbeat_id: 1, telemetry: {}, assign_sequence: 0, running };
    const { answers } = await read(JSON.stringify(beat));
    expect(answers).toMatchObject([
      { detail: 'running[5]: progress must be a number from 0 to 1; 2 was given.' },
    ]);
  });

  test.each<[string, Partial<typeof defaultLimits>, string, string]>([
    ['too deep', {}, '['.repeat(7_000_000), 'nested deeper than 1000 levels'],
    [
      'of too many values',
      {},
      `[${'{"type":0},'.repeat(1_100_000)}0]`,
      'limit frame_outline_values',
    ],
    [
      'of too many bytes beside its payloads',
      { frameOutlineBytes: 100 },
      `{"type":"${'x'.repeat(100)}"}`,
      'limit frame_outline_bytes',
    ],
  ])('%s is refused before anything is made of it', async (_name, more, text, named) => {
    const strict = createFrameReader({ ...defaultLimits, ...more });
    const { answers, isFatal } = await strict(Buffer.from(text), 20);
    expect(isFatal).toBe(true);
    expect(answers).toMatchObject([{ detail: expect.stringContaining(named) }]);
  });

  test('may be large when that is payloads', async () => {
    const results = Array.from({ length: 200 }, (_, i) => ({
      task_id: `j.${i}`,
      attempt: 1,
      token: 't',
      value: 'x'.repeat(50_000),
    }));
    const reading = read(JSON.stringify({ type: 'result', results }));
    // In slices: others have their turn meanwhile.
    expect(reading).toBeInstanceOf(Promise);
    const [message] = (await reading).messages;
    expect(message?.type === 'result' && message.results).toHaveLength(200);
  });

  describe('with a checkpoint', () => {
    const about = { task_id: 'j.0', attempt: 1, token: 't', sequence: 1, progress: 0.5 };
    const told = { sha256: '0a'.repeat(32), size_bytes: 9000 };
    const answer = async (entry: object) => {
      const { messages, answers } = await read(
        JSON.stringify({ type: 'checkpoint', checkpoints: [{ ...about, ...entry }] }),
      );
      return messages.length === 1 ? 'taken' : answers;
    };

    test.each([
      [{ state: null }],
      [{ state: { i: 1 }, run_ms: 12 }],
      [{ state_gzip: 'H4sIAA==', ...told, size_bytes: 90_000 }],
      [{ state_blob: 'ab'.repeat(32), ...told }],
    ])('takes it with %o', async (entry) => {
      expect(await answer(entry)).toBe('taken');
    });

    test.each([
      [{}, 'The entry must have exactly one of state, state_gzip and state_blob.'],
      [{ state: 1, state_gzip: '', ...told }, 'exactly one of'],
      [{ state_gzip: 'H4sIAA==' }, 'must have sha256 and size_bytes beside state_gzip'],
      [{ state_blob: 'ab'.repeat(32), sha256: told.sha256 }, 'must have sha256 and size_bytes'],
      [{ state_gzip: 'no base64', ...told }, 'state_gzip must be base64'],
      [{ state_blob: '../../etc', ...told }, 'state_blob must be 64 hexadecimal digits'],
      [{ state_gzip: '', ...told, sha256: 'AB'.repeat(32) }, 'sha256 must be 64 hexadecimal'],
      [{ state_gzip: '', ...told, size_bytes: -1 }, 'size_bytes must be an integer'],
      [{ state_gzip: '', ...told, size_bytes: 9e6 }, 'larger than 8388608 bytes of JSON (limit'],
      [{ state: 'x'.repeat(8 * 1024 * 1024) }, 'larger than 8388608 bytes of JSON (limit'],
    ])('rejects that entry with %o', async (entry, sentence) => {
      expect(await answer(entry)).toEqual([
        {
          type: 'reject',
          rejected: [
            {
              task_id: 'j.0',
              attempt: 1,
              kind: 'checkpoint',
              code: 'invalid_report',
              detail: expect.stringContaining(sentence),
            },
          ],
        },
      ]);
    });
  });
});
