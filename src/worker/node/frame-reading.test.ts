import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFrame, payloadText, RawJson } from '../../protocol/codec.ts';
import { readFrame } from './frame-reading.ts';

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const padding = 'x'.repeat(5000);

function assign(inputs: readonly unknown[], more: object = {}) {
  const programs = { j: { program: { kind: 'javascript', source: 'export default 1' } } };
  const assignments = inputs.map((input, index) => ({ task_id: `j.${index}`, index, input }));
  return { type: 'assign', sequence: 1, programs, assignments: [...assignments, more] };
}

/** The messages with their payloads parsed. */
function plain(bytes: Buffer): unknown {
  const frame = readFrame(bytes);
  return frame.ok ? JSON.parse(JSON.stringify(frame.messages)) : frame;
}

test('long inputs and states stay the text that was sent', () => {
  const input = `{ "text": "${padding}\\u00e9€", "n": 1.50 }`;
  const checkpoint = '"checkpoint":{"sequence":1,"progress":0.5,"state":[ 1 ]}';
  const text = `[{"type":"ping"},{"type":"assign","assignments":[{"input":${input},${checkpoint}}]}]`;
  const frame = readFrame(Buffer.from(text));
  expect(frame).toMatchObject({
    ok: true,
    messages: [
      { type: 'ping' },
      {
        type: 'assign',
        assignments: [{ input: new RawJson(input), checkpoint: { state: new RawJson('[ 1 ]') } }],
      },
    ],
  });
});

test('short ones are values', () => {
  const frame = readFrame(bytesOf(assign([1, 'two', { three: 3 }])));
  expect(frame).toMatchObject({ messages: [{ assignments: [{ input: 1 }, {}, {}, {}] }] });
});

test('a frame means what JSON.parse makes of it', () => {
  const messages = fc.array(fc.array(fc.jsonValue(), { maxLength: 3 }), { maxLength: 3 });
  const odd = fc.constantFrom<object>({}, { checkpoint: null }, { checkpoint: { state: padding } });
  fc.assert(
    fc.property(messages, odd, fc.boolean(), (inputs, more, isOne) => {
      const frame = [...inputs.map((each) => assign([padding, ...each], more)), { type: 'ping' }];
      const bytes = bytesOf(isOne ? frame[0] : frame);
      const decoded = decodeFrame(bytes.toString());
      expect(plain(bytes)).toEqual(decoded.ok ? decoded.messages : decoded);
    }),
  );
});

test.each([
  ['{"type":"assign","assignments":5,"input":'],
  ['{"type":"assign","assignments":[null,[],5,"x",{"input":1,"checkpoint":[7]}],"input":'],
  ['{"type":"assign","assignments":[{"input":1,"\\u0069nput":[2],"checkpoint":3}],"input":'],
  ['{"type":"other","assignments":[{"checkpoint":{"state":1}}],"input":'],
  ['{"assignments":[],"input":'],
  ['[[{"assignments":[{"input":1}]}],{"type":"ping","input":'],
])('%s… is no less understood than by JSON.parse', (begin) => {
  const end = begin.startsWith('[') ? '}]' : '}';
  const bytes = Buffer.from(`${begin}"${padding}"${end}`);
  const decoded = decodeFrame(bytes.toString());
  expect(plain(bytes)).toEqual(decoded.ok ? decoded.messages : decoded);
});

test('a frame that is no JSON is told', () => {
  expect(readFrame(Buffer.from(`{"input":"${padding}"`))).toMatchObject({ ok: false });
});

test('a payload that the scanner refuses is read as a value', () => {
  const deep = '['.repeat(1100) + ']'.repeat(1100);
  const text = `{"type":"assign","assignments":[{"input":${deep},"more":"${padding}"}]}`;
  const frame = readFrame(Buffer.from(text));
  const input =
    frame.ok && (frame.messages[0] as { assignments: { input: unknown }[] }).assignments[0]!.input;
  expect(input).not.toBeInstanceOf(RawJson);
  expect(payloadText(input)).toBe(deep);
});
