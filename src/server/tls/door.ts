// What happens on a connection to the port of TLS before there is a request: its first byte tells TLS from
// plain HTTP, which is answered with a sentence; and a handshake must end in time. A connection that has
// said nothing costs no more than its socket.

import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { answerOnSocket } from '../error-answers.ts';
import { type Credentials, tlsRules } from './credentials.ts';

/** What an honest device needs a second for, even far away. */
export const usualHandshakeMs = 10_000;
/** What a record of TLS with a handshake begins with. */
const handshakeRecord = 0x16;

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

interface Times {
  /** For the first byte; and once more, from then on, for the handshake. */
  readonly handshakeMs: number;
  /** For connections that are open when the server closes. */
  readonly closeMs: number;
}

/** Call before other listeners for connections are added. */
export function openDoor(
  app: FastifyInstance,
  credentials: CurrentCredentials,
  { handshakeMs, closeMs }: Times,
): void {
  const server = app.server as unknown as HttpsServer;
  const [beginHandshake] = server.listeners('connection') as ((socket: Socket) => void)[];
  const open = new Set<Socket>();
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    hearFirstByte(socket, handshakeMs, () => beginHandshake?.call(server, socket));
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

function hearFirstByte(socket: Socket, mostMs: number, begin: () => void): void {
  const timer = setTimeout(() => socket.destroy(), mostMs);
  timer.unref();
  const end = () => {
    clearTimeout(timer);
    socket.destroy();
  };
  socket.once('error', end);
  socket.once('close', end);
  socket.once('readable', () => {
    clearTimeout(timer);
    socket.off('error', end).off('close', end);
    const head = socket.read() as Buffer | null;
    if (head === null) return void socket.destroy();
    socket.unshift(head);
    if (head[0] === handshakeRecord) return begin();
    refuse(socket);
  });
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
