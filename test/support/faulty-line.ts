// A line of TCP between any two processes (client and coordinator, coordinator and database, member and member) on
// which things go wrong when a test says so: it is cut, stands still in one direction or both, is slow, loses answers.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** `there`: from whoever connects to whoever is connected to; `back`: what that one answers. */
export type Direction = 'there' | 'back';

/** Each side ends when the other has, not before: an end is carried as the last of what was said. */
const whole = { noDelay: true, allowHalfOpen: true };

export class FaultyLine {
  readonly #server: Server;
  #target: number;
  readonly #open = new Set<Socket>();
  readonly #lanes = { there: new Lane(), back: new Lane() };
  /** So many answers will be lost, each together with its connection. */
  answersToLose = 0;
  cuts = 0;
  #isShut = false;

  static async to(url: string): Promise<FaultyLine> {
    const line = new FaultyLine(Number(new URL(url).port));
    line.#server.listen(0, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer(whole, (near) => this.#carry(near));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The same address, but reached over this line. */
  through(address: string): string {
    const url = new URL(address);
    url.hostname = '127.0.0.1';
    url.port = new URL(this.url).port;
    return url.href;
  }

  /** Cuts every open connection. */
  cut(): void {
    for (const socket of this.#open) {
      this.cuts++;
      socket.destroy();
    }
  }

  /** From here on nobody gets through, as without a network. */
  shut(): void {
    this.#isShut = true;
    this.cut();
  }

  open(): void {
    this.#isShut = false;
  }

  /** What is said from here on stays on its way, also on connections to come; nobody is told. */
  hold(...directions: readonly Direction[]): void {
    for (const direction of directions) this.#lanes[direction].hold();
  }

  /** It comes after all, at once. */
  release(): void {
    for (const lane of Object.values(this.#lanes)) lane.release();
  }

  /** Whatever is said from here on takes so long, in its order. */
  delay(ms: number, ...directions: readonly Direction[]): void {
    for (const direction of directions) this.#lanes[direction].delayMs = ms;
  }

  /** Another process has taken the place of the one before. */
  leadTo(url: string): void {
    this.#target = Number(new URL(url).port);
    this.cut();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #carry(near: Socket): void {
    if (this.#isShut) {
      near.on('error', () => {}).destroy();
      return;
    }
    const far = connect({ port: this.#target, host: '127.0.0.1', ...whole });
    this.#open.add(near);
    const end = () => {
      this.#open.delete(near);
      near.destroy();
      far.destroy();
    };
    near.on('error', end).on('close', end);
    far.on('error', end);
    this.#lanes.there.join(near, far, () => true);
    this.#lanes.back.join(far, near, () => {
      if (this.answersToLose === 0) return true;
      this.answersToLose--;
      end();
      return false;
    });
  }
}

/** One direction of all connections. */
class Lane {
  delayMs = 0;
  readonly #sources = new Set<Socket>();
  #isHeld = false;

  hold(): void {
    this.#isHeld = true;
    for (const source of this.#sources) source.pause();
  }

  release(): void {
    this.#isHeld = false;
    for (const source of this.#sources) source.resume();
  }

  /** `passes` is asked of everything that comes, and may have ended both. */
  join(from: Socket, to: Socket, passes: () => boolean): void {
    this.#sources.add(from);
    from.once('close', () => this.#sources.delete(from));
    let before = Promise.resolve();
    const inTurn = (act: () => void) => {
      const due = performance.now() + this.delayMs;
      before = before.then(async () => {
        const left = due - performance.now();
        if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
        act();
      });
    };
    from.on('data', (bytes: Buffer) => {
      if (passes()) inTurn(() => this.#write(from, to, bytes));
    });
    from.on('end', () => inTurn(() => to.end()));
    if (this.#isHeld) from.pause();
  }

  #write(from: Socket, to: Socket, bytes: Buffer): void {
    if (!to.writable || to.write(bytes)) return;
    from.pause();
    to.once('drain', () => {
      if (!this.#isHeld) from.resume();
    });
  }
}
