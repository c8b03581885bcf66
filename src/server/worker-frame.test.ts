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
const entries = fc.oneof(
  strange,
  fc.record(
    {
      task_id: fc.oneof({ weight: 4, arbitrary: fc.constant('job.1') }, strange),
      attempt: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, strange),
      token: fc.oneof({ weight: 4, arbitrary: fc.constant('token') }, strange),
      value: fc.oneof({ weight: 3, arbitrary: fc.jsonValue() }, strange),
      state: fc.oneof({ weight: 3, arbitrary: fc.jsonValue() }, strange),
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
    const payload = name === 'result' ? 'value' : name === 'checkpoint' ? 'state' : null;
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

  test('of anything at all is answered, never thrown at', () => {
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
          expect(messages.length + answers.length).toBeGreaterThan(text === '[]' ? -1 : 0);
        },
      ),
      { examples: [['[]'], ['']] },
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
});
