import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { bodyPieces } from './request-body.ts';

test('others have their turn between two pieces, however many are there at once', async () => {
  // Everything it asks for is there at once, as on a fast line.
  const message = new Readable({ read: () => void message.push(Buffer.alloc(64 * 1024)) });
  let turns = 0;
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  let pieces = 0;
  for await (const piece of bodyPieces(message as IncomingMessage, 1)) {
    expect(piece.length).toBeGreaterThan(0);
    if (++pieces === 20) break;
  }
  isOver = true;
  message.destroy();
  expect(turns).toBeGreaterThanOrEqual(19);
});
