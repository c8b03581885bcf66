import { describe, expect, test } from 'vitest';
import type { SocketListener } from '../agent.ts';
import { FakeWire } from './testing/fake-wire.ts';
import { TicketOffice, TicketSocket } from './ticket-socket.ts';

/** All that has been promised by now has happened. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

function stage(wire = new FakeWire(), office = new TicketOffice()) {
  const heard: unknown[][] = [];
  const listener: SocketListener = {
    opened: () => void heard.push(['opened']),
    frame: (messages) => void heard.push(['frame', ...messages]),
    complaint: (detail) => void heard.push(['complaint', detail]),
    refused: (...why) => void heard.push(['refused', ...why]),
    closed: (detail) => void heard.push(['closed', detail]),
  };
  const open = async (token?: string) => {
    const socket = new TicketSocket(wire, office, token, listener);
    await settled();
    return socket;
  };
  return { wire, office, heard, open };
}

describe('a socket of a page', () => {
  test('is opened with a ticket for its token', async () => {
    const { wire, heard, open } = stage();
    wire.letIn();
    await open('secret');
    expect(wire.asked).toEqual([{ path: '/api/session/ticket', authorization: 'Bearer secret' }]);
    expect(wire.socket).toMatchObject({
      path: '/api/workers/connect',
      protocols: ['muster', 'ticket.for-secret'],
    });
    wire.socket.open();
    expect(heard).toEqual([['opened']]);
  });

  test('is opened without one where nobody needs a token, which is asked once', async () => {
    const { wire, open } = stage();
    wire.refuse(422, 'Nobody needs a token here.');
    await open();
    wire.socket.open();
    await open();
    expect(wire.asked).toHaveLength(1);
    expect(wire.sockets.map(({ protocols }) => protocols)).toEqual([['muster'], ['muster']]);
  });

  test('is asked for again when it did not open without a ticket', async () => {
    const { wire, heard, open } = stage();
    wire.refuse(422, 'Nobody needs a token here.');
    await open('secret');
    wire.socket.drop();
    wire.letIn();
    await open('secret');
    expect(wire.socket.protocols).toEqual(['muster', 'ticket.for-secret']);
    expect(heard).toEqual([
      ['closed', 'The connection to the coordinator was closed before it was open.'],
    ]);
  });

  test.each([401, 403, 404, 500])('says why when it is refused with %i', async (status) => {
    const { wire, heard, open } = stage();
    wire.refuse(status, 'No.');
    await open('secret');
    expect(heard).toEqual([['refused', status, 'x', 'No.']]);
    expect(wire.sockets).toEqual([]);
  });

  test.each([
    [429, '30', 30_000],
    [503, null, 2_000],
    [503, 'Wed, 21 Oct 2026 07:28:00 GMT', 2_000],
    [429, '1e9', 600_000],
  ])('asks nothing for as long as %i with Retry-After %s says', async (status, after, ms) => {
    const { wire, heard, open } = stage();
    wire.refuse(status, 'Too much.', after === null ? {} : { 'retry-after': after });
    await open('secret');
    wire.ms = ms - 1;
    await open('secret');
    expect(heard).toEqual([
      ['refused', status, 'x', 'Too much.'],
      ['closed', 'Too much.'],
    ]);
    expect(wire.asked).toHaveLength(1);
    wire.ms = ms;
    await open('secret');
    expect(wire.asked).toHaveLength(2);
  });

  test('is closed when nobody answers, or what answers is no coordinator', async () => {
    const { wire, heard, open } = stage();
    await open('secret');
    wire.answers.set('/api/session/ticket', () => new Response('<html>', { status: 200 }));
    await open('secret');
    wire.answers.set('/api/session/ticket', () => new Response('<html>', { status: 401 }));
    await open('secret');
    expect(heard).toEqual([
      ['closed', 'The coordinator does not answer.'],
      ['refused', 502, null, 'The coordinator answered with HTTP 200.'],
      ['refused', 401, null, 'The coordinator asks for a token that this page does not have.'],
    ]);
  });

  test('is closed when what it was given is no ticket', async () => {
    const { wire, heard, open } = stage();
    wire.letIn();
    wire.openSocket = () => {
      throw new DOMException('The subprotocol is invalid.', 'SyntaxError');
    };
    await open('secret');
    expect(heard).toEqual([
      ['closed', 'This browser does not open a connection to the coordinator.'],
    ]);
  });

  test('tells no more of an answer than a person reads', async () => {
    const { wire, heard, open } = stage();
    wire.refuse(500, 'x'.repeat(100_000));
    await open('secret');
    expect(heard).toEqual([['refused', 500, 'x', 'x'.repeat(1000)]]);
  });

  test('is not opened when it was closed before the ticket came', async () => {
    const { wire, heard, open } = stage();
    let answer: (response: Response) => void = () => {};
    wire.answers.set('/api/session/ticket', () => new Promise((resolve) => (answer = resolve)));
    const socket = await open('secret');
    await socket.close();
    answer(Response.json({ ticket: 'x' }));
    await settled();
    expect([wire.sockets, heard]).toEqual([[], []]);
  });
});

describe('frames', () => {
  test('of a turn leave as one, and are counted', async () => {
    const { wire, open } = stage();
    wire.letIn();
    const socket = await open('secret');
    wire.socket.open();
    socket.send([{ type: 'started', started: [] }]);
    socket.send([{ type: 'bye', reason: 'x' }]);
    await settled();
    const text = '[{"type":"started","started":[]},{"type":"bye","reason":"x"}]';
    expect(wire.socket.frames).toEqual([text]);
    expect(wire.bytes).toBe(text.length);
  });

  test('that are long are not joined', async () => {
    const { wire, open } = stage();
    wire.letIn();
    const socket = await open('secret');
    wire.socket.open();
    const long = { type: 'bye', reason: 'x'.repeat(300_000) } as const;
    socket.send([long, long, { type: 'bye', reason: 'y' }]);
    await settled();
    expect(wire.socket.frames.map((text) => text.length)).toEqual([300_026, 300_056]);
  });

  test('that wait leave at once when it is closed, and nothing more is heard', async () => {
    const { wire, heard, open } = stage();
    wire.letIn();
    const socket = await open('secret');
    wire.socket.open();
    socket.send([{ type: 'bye', reason: 'x' }]);
    const closing = socket.close();
    expect(wire.socket.frames).toEqual(['{"type":"bye","reason":"x"}']);
    wire.socket.saySomething('{"type":"ping"}');
    await closing;
    expect(heard).toEqual([['opened']]);
  });

  test('that are no messages are complained of', async () => {
    const { wire, heard, open } = stage();
    wire.letIn();
    await open('secret');
    wire.socket.open();
    wire.socket.saySomething(new ArrayBuffer(3));
    wire.socket.saySomething('{');
    wire.socket.say({ type: 'ping' }, { type: 'dance' } as never);
    expect(heard.slice(1)).toEqual([
      ['complaint', 'A binary frame; frames are text.'],
      ['complaint', 'A frame must be JSON text; this one does not parse.'],
      ['complaint', 'Unknown message type "dance".'],
      ['frame', { type: 'ping' }],
    ]);
  });

  test('end with a sentence when the connection is closed', async () => {
    const { wire, heard, open } = stage();
    wire.letIn();
    await open('secret');
    wire.socket.open();
    wire.socket.drop(1008, 'too slow');
    expect(heard.at(-1)).toEqual([
      'closed',
      'The connection to the coordinator was closed (1008: too slow).',
    ]);
  });
});
