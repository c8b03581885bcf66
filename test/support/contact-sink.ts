// A server that counts whatever reaches it, on one port of TCP and one of UDP: a connection without a word is
// a contact, too. What speaks HTTP or WebSocket is answered as any page would hope.

import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer } from 'ws';

const loopback = '127.0.0.1';

/** What answers by the end of the address; anything else is a text. */
const answers: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '.js': ['text/javascript', 'globalThis.arrived = true;'],
  '.css': ['text/css', '@import "again.css"'],
  '.html': ['text/html', '<!doctype html><title>arrived</title>'],
  '.events': ['text/event-stream', 'data: arrived\n\n'],
};

export class ContactSink {
  /** How often somebody came: connections and datagrams. */
  contacts = 0;
  readonly #server: Server;
  readonly #udp: UdpSocket;
  readonly #sockets = new Set<Socket>();
  #waiting: (() => void)[] = [];

  private constructor(server: Server, udp: UdpSocket) {
    this.#server = server;
    this.#udp = udp;
    const sockets = new WebSocketServer({ noServer: true });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      this.#count();
    });
    server.on('request', ({ url = '/' }, response) => {
      answer(url, response);
    });
    server.on('upgrade', (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (each) => {
        each.send('arrived');
      });
    });
    udp.on('message', () => this.#count());
  }

  static async start(): Promise<ContactSink> {
    const server = createServer().listen(0, loopback);
    const udp = createSocket('udp4').bind(0, loopback);
    await Promise.all([once(server, 'listening'), once(udp, 'listening')]);
    return new ContactSink(server, udp);
  }

  /** `127.0.0.1:port`, where it listens to TCP. */
  get host(): string {
    return `${loopback}:${(this.#server.address() as AddressInfo).port}`;
  }

  get udpHost(): string {
    return `${loopback}:${this.#udp.address().port}`;
  }

  /** Resolves with the first contact. */
  contact(): Promise<void> {
    if (this.contacts > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    this.#udp.close();
  }

  #count(): void {
    this.contacts++;
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }
}

function answer(url: string, response: ServerResponse): void {
  const ending = Object.keys(answers).find((each) => url.endsWith(each));
  const [type, body] = ending === undefined ? ['text/plain', 'arrived'] : answers[ending]!;
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', '*');
  response.setHeader('content-type', type);
  response.end(body);
}
