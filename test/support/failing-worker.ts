// A worker over plain HTTP, with one slot, that fails whatever it is given.

import { onTestFinished } from 'vitest';

interface Registration {
  readonly worker_id: string;
  readonly worker_token: string;
}

interface Claimed {
  readonly task_id: string;
  readonly attempt: number;
  readonly token: string;
}

export class FailingWorker {
  readonly id: string;
  /** Ids of the tasks that it was given, in order. */
  readonly given: string[] = [];
  /** If set, the worker completes its tasks with this value instead of failing them. */
  value: unknown = undefined;
  readonly #url: string;
  readonly #token: string;
  readonly #end = new AbortController();

  static async start(url: string, name: string): Promise<FailingWorker> {
    const device = { name, type: 'pc', platform: 'linux' };
    const registered = (await post(`${url}/api/workers`, device, null)) as Registration;
    const worker = new FailingWorker(url, registered);
    const working = worker.#work();
    onTestFinished(async () => {
      worker.#end.abort();
      await working;
    });
    return worker;
  }

  private constructor(url: string, { worker_id: id, worker_token: token }: Registration) {
    this.id = id;
    this.#url = `${url}/api/workers/${id}`;
    this.#token = token;
  }

  /** A claim also renews the lease, so this worker needs no heartbeats. */
  async #work(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const answer = await this.#call('claim', { max: 1, wait_seconds: 2 });
      for (const claimed of (answer as { assignments?: Claimed[] }).assignments ?? []) {
        await this.#attempt(claimed);
      }
    }
  }

  async #attempt({ task_id, attempt, token }: Claimed): Promise<void> {
    this.given.push(task_id);
    const ref = { task_id, attempt, token };
    const { value } = this;
    if (value !== undefined)
      return void (await this.#call('report', { results: [{ ...ref, value }] }));
    const failure = { ...ref, error_type: 'Error', error_message: 'no such device' };
    await this.#call('report', { started: [ref], failures: [failure] });
  }

  async #call(path: string, body: object): Promise<unknown> {
    try {
      return await post(`${this.#url}/${path}`, body, this.#token, this.#end.signal);
    } catch {
      // The test is over, or the coordinator away: asked again soon.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return {};
    }
  }
}

async function post(
  url: string,
  body: object,
  token: string | null,
  signal: AbortSignal | null = null,
): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
