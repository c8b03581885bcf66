import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { payloadText } from '../protocol/codec.ts';
import { defaultLimits } from '../protocol/limits.ts';
import { heartbeatSchema, reportSchemas } from '../protocol/schemas/worker-messages.ts';
import { isHeartbeatAttempt, reportChecks, type ReportName } from './report-checks.ts';
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
  const read = createFrameReader(defaultLimits);

  test('of anything at all is answered, unless it says nothing, and never thrown at', () => {
    const types = ['hello', 'heartbeat', 'bye', 'result', 'failure', 'release', 'checkpoint', 'x'];
    const message = fc.record({ type: fc.constantFrom(...types), results: fc.array(entries) });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          message.map((each) => JSON.stringify(each)),
        ),
        (text) => {
          const { messages, answers } = read(text);
          const isEmpty = text === '[]' || text === '{"type":"result","results":[]}';
          expect(messages.length + answers.length).toBeGreaterThan(isEmpty ? -1 : 0);
        },
      ),
      { examples: [['[]'], [''], ['{"type":"result","results":[]}']] },
    );
  });

  test('has its payloads as JSON text, made once', () => {
    const ref = { task_id: 'j.0', attempt: 1, token: 't' };
    const { messages } = read(
      JSON.stringify({ type: 'result', results: [{ ...ref, value: { a: [1] } }] }),
    );
    const [message] = messages;
    expect(message?.type === 'result' && payloadText(message.results[0]!.value)).toBe('{"a":[1]}');
  });

  describe('with a checkpoint', () => {
    const about = { task_id: 'j.0', attempt: 1, token: 't', sequence: 1, progress: 0.5 };
    const told = { sha256: '0a'.repeat(32), size_bytes: 9000 };
    const answer = (entry: object) => {
      const { messages, answers } = read(
        JSON.stringify({ type: 'checkpoint', checkpoints: [{ ...about, ...entry }] }),
      );
      return messages.length === 1 ? 'taken' : answers;
    };

    test.each([
      [{ state: null }],
      [{ state: { i: 1 }, run_ms: 12 }],
      [{ state_gzip: 'H4sIAA==', ...told }],
      [{ state_blob: 'ab'.repeat(32), ...told }],
    ])('takes it with %o', (entry) => {
      expect(answer(entry)).toBe('taken');
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
    ])('rejects that entry with %o', (entry, sentence) => {
      expect(answer(entry)).toEqual([
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
