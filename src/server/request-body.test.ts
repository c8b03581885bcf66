import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { InFlight } from './in-flight.ts';
import { ClientGone } from './refusal.ts';
import { bodyPieces, readShort } from './request-body.ts';

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

test('nobody waits for the body of a client that had left before', async () => {
  const message = new Readable({ read: () => {} });
  message.destroy();
  await once(message, 'close');
  const inFlight = new InFlight(1000);
  const body = Object.assign(message, { headers: {} }) as unknown as IncomingMessage;
  await expect(readShort(body, inFlight, inFlight.hold(false), 1)).rejects.toThrow(ClientGone);
});
