// What happens on a connection to the port of TLS before there is a request: its first byte tells TLS from
// plain HTTP, which is answered with a sentence; and a handshake must end in time. It begins when the first
// message of the client is there as a whole: what TLS takes is some 50 KB, and a connection that has said
// nothing, or half of its first message, costs little more than its socket.

import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { answerOnSocket } from '../error-answers.ts';
import { type Credentials, tlsRules } from './credentials.ts';

/** What an honest device needs a second for, even far away. */
export const usualHandshakeMs = 10_000;
/** What a record of TLS with a handshake begins with. */
const handshakeRecord = 0x16;
/** Type, version, and the length of what follows. */
const recordHeadBytes = 5;
/** The longest record that there may be; the first message is a tenth of it. */
const mostRecordBytes = 16 * 1024 + recordHeadBytes;

/** What the server's certificate comes from. */
export interface CurrentCredentials {
  readonly current: Credentials;
  onChange(listener: (credentials: Credentials) => void): void;
}

const plainHttp =
  'This port speaks HTTPS, and this was plain HTTP: use the same address with https:// in front.';

export function optionsOf({ cert, key }: Credentials) {
  return { ...tlsRules, cert, key };
}

interface Rules {
  /** For the first byte; and once more, from then on, for the handshake. */
  readonly handshakeMs: number;
  /** For connections that are open when the server closes. */
  readonly closeMs: number;
  /** Whether the handshake of this connection may begin: it is cut if not. */
  readonly mayBegin?: (socket: Socket) => boolean;
}

/** Call before other listeners for connections are added. */
export function openDoor(
  app: FastifyInstance,
  credentials: CurrentCredentials,
  { handshakeMs, closeMs, mayBegin = () => true }: Rules,
): void {
  const server = app.server as unknown as HttpsServer;
  const [beginHandshake] = server.listeners('connection') as ((socket: Socket) => void)[];
  const open = new Set<Socket>();
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    hearFirstRecord(socket, handshakeMs, () => {
      if (mayBegin(socket)) beginHandshake?.call(server, socket);
      else socket.resetAndDestroy();
    });
  });
  // Nothing can be said on a connection whose handshake has failed.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  credentials.onChange((found) => server.setSecureContext(optionsOf(found)));
  app.addHook('preClose', (done) => {
    const timer = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, closeMs);
    timer.unref();
    done();
  });
}

function hearFirstRecord(socket: Socket, mostMs: number, begin: () => void): void {
  const timer = setTimeout(() => socket.destroy(), mostMs);
  timer.unref();
  const end = () => {
    clearTimeout(timer);
    socket.destroy();
  };
  let heard: Buffer = Buffer.alloc(0);
  const hear = () => {
    const piece = socket.read() as Buffer | null;
    if (piece === null) return end();
    heard = heard.length === 0 ? piece : Buffer.concat([heard, piece]);
    const isTls = heard[0] === handshakeRecord;
    if (isTls && !isWhole(heard)) return;
    clearTimeout(timer);
    socket.off('error', end).off('close', end).off('readable', hear);
    socket.unshift(heard);
    if (isTls) begin();
    else refuse(socket);
  };
  socket.once('error', end);
  socket.once('close', end);
  socket.on('readable', hear);
}

/** Whether the first record is there. One that claims to be longer than there can be is for TLS to refuse. */
function isWhole(heard: Buffer): boolean {
  if (heard.length < recordHeadBytes) return false;
  const length = recordHeadBytes + heard.readUInt16BE(3);
  return heard.length >= length || length > mostRecordBytes;
}

/** The rest of the request is read and thrown away: an end with unread bytes would cut the answer off. */
function refuse(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), 1_000);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume();
  answerOnSocket(socket, 'malformed_request', plainHttp);
}
