import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Receipt, receiptLine, receiptsOf } from './staged-receipts.ts';

const staged = { key: 7, member: '91cc3495-fdb4-46d3-9791-5cd125018f10', sizeBytes: 300 };
const all: readonly Receipt[] = [
  ['arrived', 0],
  ['arrived', 262_144],
  ['slow'],
  ['whole', 'ab'.repeat(32), 300, staged],
  ['whole', 'ab'.repeat(32), 0, null],
];

function read(...pieces: readonly string[]): Promise<Receipt[]> {
  const message = Readable.from(pieces.map((piece) => Buffer.from(piece))) as IncomingMessage;
  return Array.fromAsync(receiptsOf(message));
}

test('receipts are read as they were written, wherever they are cut', async () => {
  const text = all.map(receiptLine).join('');
  for (let at = 0; at <= text.length; at++) {
    expect(await read(text.slice(0, at), text.slice(at))).toEqual(all);
  }
});

test('one that is not whole is none', async () => {
  expect(await read('["arrived",5]\n["arr')).toEqual([['arrived', 5]]);
});

test.each([
  'none\n',
  '7\n',
  '[]\n',
  '["arrived"]\n',
  '["arrived",-1]\n',
  '["arrived",1.5]\n',
  '["whole","ab",3]\n',
  '["whole","ab",3,{}]\n',
  '["whole","ab",3,{"key":1,"member":2,"sizeBytes":3}]\n',
  '["whole",1,3,null]\n',
  'x'.repeat(2_000),
])('%s is refused', async (text) => {
  await expect(read(text)).rejects.toMatchObject({ name: 'Refusal', code: 'validation_failed' });
});
