import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { defaultLimits } from '../protocol/limits.ts';
import { InFlight } from './in-flight.ts';
import { type JobReceipt, jobReceiptLine, jobReceiptsOf, lineRefusalOf } from './job-receipts.ts';
import { Refusal } from './refusal.ts';

const hash = 'ab'.repeat(32);
const all: readonly JobReceipt[] = [
  ['job', Buffer.from('{"name":"é"}').toString('base64'), '91cc3495-fdb4-46d3-9791-5cd125018f10'],
  ['arrived', 0, 0],
  ['arrived', 1_000, 5_400],
  ['blobs', [[hash, 17]], true],
  ['refused', 'validation_failed', 'Line 3 is not valid JSON.'],
  ['few', null, ['1', '"é\\n"']],
  ['whole', hash, 1_000, 5_400],
];

function read(pieces: readonly Buffer[], bytes = 1_000_000): Promise<JobReceipt[]> {
  const message = Readable.from(pieces) as IncomingMessage;
  const inFlight = new InFlight(bytes);
  return Array.fromAsync(
    jobReceiptsOf(message, { ...defaultLimits, bodyBytes: 1_000 }, inFlight, inFlight.hold(false)),
  );
}

test('receipts are read as they were written, wherever they are cut', async () => {
  const text = Buffer.from(all.map(jobReceiptLine).join(''));
  for (let at = 0; at <= text.length; at++) {
    expect(await read([text.subarray(0, at), text.subarray(at)])).toEqual(all);
  }
});

test.each([
  'none\n',
  '["job"]\n',
  '["job",7,"a"]\n',
  '["job","e30="]\n',
  '["arrived",1]\n',
  '["arrived",-1,0]\n',
  '["blobs","ab"]\n',
  '["blobs",[["ab"]]]\n',
  '["blobs",[["ab",-1]]]\n',
  '["refused","internal","No."]\n',
  '["refused","busy"]\n',
  '["few",7,[]]\n',
  '["few",null,[1]]\n',
  '["whole",null,1]\n',
  '["whole",null,1.5,2]\n',
  '["arrived",0,0,"and more"',
])('%s is no receipt', async (text) => {
  const end = text.endsWith('\n') ? '' : 'x'.repeat(5_000_000);
  await expect(read([Buffer.from(text + end)])).rejects.toMatchObject({
    name: 'Refusal',
    code: 'validation_failed',
  });
});

test('what is in memory of a line counts as being read', async () => {
  const long = Buffer.from(`["job","${'x'.repeat(300_000)}`);
  await expect(read([long], 200_000)).rejects.toMatchObject({ code: 'busy' });
});

test('of what is refused only what lines can be refused for is told', () => {
  expect(lineRefusalOf(new Refusal('busy', 'Later.'))).toEqual(['refused', 'busy', 'Later.']);
  expect(lineRefusalOf(new Refusal('internal', 'No.'))).toBeUndefined();
});
