// A coordinator process of a cluster, which ends, stands still and is started again at the same place.

import { connect, type ClusterResource, type MusterClient } from '../../src/client/index.ts';
import { withPin } from '../../src/transport/index.ts';
import { createPinnedFetch } from '../../src/transport/pinning.ts';
import type { MusterProcess, MusterProcessOptions } from './muster-process.ts';

type Start = (args: readonly string[], options?: Partial<MusterProcessOptions>) => MusterProcess;

export class ClusterMember {
  readonly url: string;
  /** Where the other members reach it. */
  readonly advertised: string;
  client: MusterClient;
  /** Of its certificate, from its start on; undefined without TLS. */
  pin: string | undefined;
  /** The newest one. */
  process!: MusterProcess;
  readonly #start: Start;
  readonly #args: readonly string[];
  #isFrozen = false;

  constructor(url: string, advertised: string, start: Start, args: readonly string[]) {
    this.url = url;
    this.advertised = advertised;
    this.client = connect(url);
    this.#start = start;
    this.#args = args;
  }

  /** Also again after its end. */
  async serve(options?: Partial<MusterProcessOptions>): Promise<void> {
    this.process = this.#start(['--port', new URL(this.url).port, ...this.#args], options);
    this.#isFrozen = false;
    this.pin = (await this.process.line(served)).pin;
    if (this.pin !== undefined) this.client = connect(this.address);
  }

  /** For clients and workers: with its pin under TLS. */
  get address(): string {
    return this.pin === undefined ? this.url : withPin(this.url, this.pin);
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  freeze(): void {
    this.#isFrozen = true;
    this.process.signal('SIGSTOP');
  }

  wake(): void {
    this.#isFrozen = false;
    this.process.signal('SIGCONT');
  }

  /** How it sees the cluster; undefined while it does not answer. */
  async look(): Promise<ClusterResource | undefined> {
    if (this.#isFrozen) return undefined;
    try {
      const ask = this.pin === undefined ? fetch : createPinnedFetch(this.pin);
      const response = await ask(`${this.url}/api/cluster`, {
        signal: AbortSignal.timeout(2_000),
      });
      return response.ok ? ((await response.json()) as ClusterResource) : undefined;
    } catch {
      return undefined;
    }
  }
}

export function servedUrl(line: string): string {
  return served(line).url;
}

function served(line: string): { readonly url: string; readonly pin?: string } {
  return JSON.parse(line) as { url: string; pin?: string };
}
