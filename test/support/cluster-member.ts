// A coordinator process of a cluster, which ends, stands still and is started again at the same place.

import { connect, type ClusterResource, type MusterClient } from '../../src/client/index.ts';
import type { MusterProcess, MusterProcessOptions } from './muster-process.ts';

type Start = (args: readonly string[], options?: Partial<MusterProcessOptions>) => MusterProcess;

export class ClusterMember {
  readonly url: string;
  /** Where the other members reach it. */
  readonly advertised: string;
  readonly client: MusterClient;
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
    await this.process.line(servedUrl);
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
      const response = await fetch(`${this.url}/api/cluster`, {
        signal: AbortSignal.timeout(2_000),
      });
      return response.ok ? ((await response.json()) as ClusterResource) : undefined;
    } catch {
      return undefined;
    }
  }
}

export function servedUrl(line: string): string {
  return (JSON.parse(line) as { url: string }).url;
}
