// A proxy between client and coordinator whose connections can be cut.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class CuttingProxy {
  readonly #server: Server;
  #target: number;
  readonly #open = new Set<Socket>();
  /** Answers of the coordinator that will be lost together with their connection. */
  answersToLose = 0;
  cuts = 0;
  #isShut = false;
  readonly #coordinators = new Set<Socket>();
  #isHeld = false;

  static async to(url: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(Number(new URL(url).port));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#carry(client));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
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

  /** What the coordinator says from here on stays on its way. */
  hold(): void {
    this.#isHeld = true;
    for (const coordinator of this.#coordinators) coordinator.pause();
  }

  /** It comes after all, at once. */
  release(): void {
    this.#isHeld = false;
    for (const coordinator of this.#coordinators) coordinator.resume();
  }

  /** Another coordinator has taken the place of the one before. */
  leadTo(url: string): void {
    this.#target = Number(new URL(url).port);
    this.cut();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #carry(client: Socket): void {
    if (this.#isShut) {
      client.on('error', () => {}).destroy();
      return;
    }
    const coordinator = connect(this.#target, '127.0.0.1');
    this.#open.add(client);
    this.#coordinators.add(coordinator);
    const end = () => {
      this.#open.delete(client);
      this.#coordinators.delete(coordinator);
      client.destroy();
      coordinator.destroy();
    };
    for (const socket of [client, coordinator]) socket.on('error', end).on('close', end);
    client.pipe(coordinator);
    coordinator.on('data', (bytes) => {
      if (this.answersToLose === 0) client.write(bytes);
      else {
        this.answersToLose--;
        end();
      }
    });
    if (this.#isHeld) coordinator.pause();
  }
}
