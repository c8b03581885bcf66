// An offloading executor between a machine and an inner executor, both played by the test. Payloads
// arrive when the test says so.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OffloadingExecutor } from './offloading-executor.ts';
import type {
  Executor,
  ExecutorEvent,
  ExecutorListener,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
  PackedState,
  StopReason,
} from '../executor.ts';
import { blobReference, blobReferenceOf, bytesReference } from '../../protocol/blob-reference.ts';
import type { HeldBlobs } from './blob-shelf.ts';
import { type PayloadStore, PayloadFault } from './payload-store.ts';

const sha = 'ab'.repeat(32);
const program: ExecutorProgram = {
  jobId: 'job',
  kind: 'javascript',
  source: '',
  checkpointIntervalMs: null,
};

/** A transfer under way, until the test lets it arrive. */
interface Load {
  readonly what: string;
  readonly arrive: (value: unknown) => void;
  readonly fail: (error: Error) => void;
}

class Stage implements Executor, Omit<PayloadStore, 'close'> {
  readonly slots = 1;
  readonly isolation = 'none';
  /** Calls of the inner executor, and events that the machine received. */
  readonly told: string[] = [];
  readonly heard: string[] = [];
  readonly dropped: string[] = [];
  readonly packed: string[] = [];
  readonly loads: Load[] = [];
  /** Programs that ran, and blobs that are held no longer. */
  readonly programs: ExecutorProgram[] = [];
  readonly released: string[] = [];
  readonly executor: OffloadingExecutor;
  nowMs = 0;
  #say: ExecutorListener = () => {};

  constructor() {
    this.executor = new OffloadingExecutor({
      payloads: {
        pack: (stateJson) => this.pack(stateJson),
        fetchInput: (sha256) => this.fetchInput(sha256),
        isLarge: (valueJson) => this.isLarge(valueJson),
        storeResult: (valueJson) => this.storeResult(valueJson),
        fetchBytes: (sha256) => this.fetchBytes(sha256),
        storeBytes: (bytes) => this.storeBytes(bytes),
        hold: (names) => this.hold(names),
        close: () => {},
      },
      listener: (event) => this.heard.push(...brief(event)),
      nowMs: () => this.nowMs,
      createInner: (listener) => {
        this.#say = listener;
        return this;
      },
      onPacked: (slot, key, packMs) => this.packed.push(`${slot} ${key} ${packMs}`),
      onDropped: (key, why) => this.dropped.push(`${key}: ${why}`),
    });
  }

  // ---- payloads: short states are small, results of more than ten characters are large

  pack(stateJson: string): PackedState | Promise<PackedState> {
    if (stateJson.length < 5) return { encoding: 'json', text: stateJson };
    return this.#load(`pack ${stateJson}`) as Promise<PackedState>;
  }

  fetchInput(sha256: string): Promise<string> {
    return this.#load(`fetch ${sha256.slice(0, 2)}`) as Promise<string>;
  }

  isLarge(valueJson: string): boolean {
    return valueJson.length > 10;
  }

  storeResult(valueJson: string): Promise<string> {
    return this.#load(`store ${valueJson}`) as Promise<string>;
  }

  fetchBytes(sha256: string): Promise<Uint8Array> {
    return this.#load(`fetch bytes ${sha256.slice(0, 2)}`) as Promise<Uint8Array>;
  }

  storeBytes(bytes: Uint8Array): Promise<string> {
    return this.#load(`store bytes ${bytes.join()}`) as Promise<string>;
  }

  async hold(names: readonly string[]): Promise<HeldBlobs> {
    const what = names.map((name) => name.slice(0, 2)).join();
    await this.#load(`hold ${what}`);
    const contents = new Map(names.map((name) => [name, { bytes: new Uint8Array(1) }]));
    return { contents, release: () => this.released.push(what) };
  }

  // ---- the executor inside

  run(_slot: number, given: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    const inputOf = ({ inputJson, inputBytes }: ExecutorTask) =>
      inputBytes === undefined ? inputJson : `bytes ${inputBytes.join()}`;
    this.told.push(`run ${tasks.map((task) => `${task.key}=${inputOf(task)}`).join(' ')}`);
    this.programs.push(given);
  }

  stop(_slot: number, key: string, reason: StopReason): void {
    this.told.push(`stop ${key} ${reason}`);
  }

  checkpoint(): void {}

  forget(): void {}

  close(): Promise<void> {
    return Promise.resolve();
  }

  // ---- what the test does

  give(...inputs: [string, string][]): void {
    this.giveOf(program, ...inputs);
  }

  giveOf(given: ExecutorProgram, ...inputs: [string, string][]): void {
    const tasks = inputs.map(([key, inputJson], index): ExecutorTask => {
      const rest = { owner: 'o', taskId: key, index, attempt: 1, stateJson: null, progress: 0 };
      return { key, inputJson, ...rest, timeoutMs: null };
    });
    this.executor.run(0, given, tasks);
  }

  checkpointOf(key: string, sequence: number, text: string): void {
    const about = { slot: 0, key, sequence, progress: 0.5, runMs: 1 };
    this.#say({ type: 'checkpoint', ...about, state: { encoding: 'json', text } });
  }

  started(key: string): void {
    this.#say({ type: 'started', slot: 0, key });
  }

  ends(...outcomes: ExecutorOutcome[]): void {
    this.#say({ type: 'finished', slot: 0, outcomes });
  }

  returns(...keys: string[]): void {
    this.#say({ type: 'returned', slot: 0, keys });
  }

  /** The oldest load arrives, and what follows from it has happened. */
  async arrive(value: unknown): Promise<void> {
    this.loads.shift()!.arrive(value);
    await settle();
  }

  async fail(why: string | Error): Promise<void> {
    this.loads.shift()!.fail(typeof why === 'string' ? new Error(why) : why);
    await settle();
  }

  #load(what: string): Promise<unknown> {
    return new Promise((arrive, reject) => {
      this.loads.push({ what, arrive, fail: reject });
    });
  }
}

const settle = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

function brief(event: ExecutorEvent): string[] {
  if (event.type === 'checkpoint') {
    return [`checkpoint ${event.key} ${event.sequence} ${event.state.encoding}`];
  }
  if (event.type === 'started') return [`started ${event.key}`];
  if (event.type !== 'finished') return [event.type];
  return event.outcomes.map((each) => {
    if (each.type === 'result') return `result ${each.key} ${each.valueJson}`;
    return `${each.type} ${each.key} ${each.type === 'failure' ? each.errorType : each.reason}`;
  });
}

const times = { runMs: 1, cpuSeconds: 0 };
const result = (key: string, valueJson = '1'): ExecutorOutcome => ({
  type: 'result',
  key,
  valueJson,
  ...times,
});
const failure = (key: string): ExecutorOutcome => ({
  type: 'failure',
  key,
  errorType: 'attempt_timeout',
  errorMessage: '',
  retryable: true,
  ...times,
});
const stopped = (key: string): ExecutorOutcome => ({ type: 'stopped', key, reason: 'leaving' });
const gzip = (): PackedState => ({
  encoding: 'gzip',
  base64: 'H4s=',
  whole: { sha256: sha, sizeBytes: 9 },
});

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});

describe('a checkpoint', () => {
  test('goes on at once when it is small', () => {
    stage.checkpointOf('a', 1, '{}');
    expect(stage.heard).toEqual(['checkpoint a 1 json']);
  });

  test('goes on when it is packed, and what that took is told', async () => {
    stage.checkpointOf('a', 1, '[1,2,3]');
    expect(stage.heard).toEqual([]);
    stage.nowMs = 7;
    await stage.arrive(gzip());
    expect(stage.heard).toEqual(['checkpoint a 1 gzip']);
    expect(stage.packed).toEqual(['0 a 7']);
  });

  test('is replaced by newer ones while an older one is being packed', async () => {
    for (const sequence of [1, 2, 3]) stage.checkpointOf('a', sequence, `[${sequence},0,0]`);
    stage.checkpointOf('b', 1, '[4,0,0]');
    expect(stage.loads.map(({ what }) => what)).toEqual(['pack [1,0,0]', 'pack [4,0,0]']);
    await stage.arrive(gzip());
    await stage.arrive(gzip());
    await stage.arrive(gzip());
    expect(stage.heard).toEqual([
      'checkpoint a 1 gzip',
      'checkpoint b 1 gzip',
      'checkpoint a 3 gzip',
    ]);
    expect(stage.loads).toEqual([]);
  });

  test('that cannot be sent is dropped, said once, and a newer one is tried', async () => {
    for (const sequence of [1, 2, 3]) {
      stage.checkpointOf('a', sequence, '[1,2,3]');
      if (sequence < 3) await stage.fail('no way');
    }
    await stage.arrive(gzip());
    expect(stage.dropped).toEqual(['a: no way']);
    expect(stage.heard).toEqual(['checkpoint a 3 gzip']);
  });

  test('never comes after the result of its attempt, which does not wait for it', async () => {
    stage.checkpointOf('a', 1, '[1,2,3]');
    stage.checkpointOf('a', 2, '[1,2,3]');
    stage.ends(result('a'));
    await stage.arrive(gzip());
    expect(stage.heard).toEqual(['result a 1']);
    expect([stage.loads, stage.packed]).toEqual([[], []]);
  });

  test.each([
    ['failed', failure('a'), 'failure a attempt_timeout'],
    ['gave way', stopped('a'), 'stopped a leaving'],
  ])('comes before the outcome of an attempt that %s', async (_name, outcome, said) => {
    stage.checkpointOf('a', 1, '[1,2,3]');
    stage.checkpointOf('a', 2, '[1,2,3]');
    stage.ends(outcome);
    stage.started('b');
    stage.ends(result('b'), result('c'));
    expect(stage.heard).toEqual([]);
    await stage.arrive(gzip());
    await stage.arrive(gzip());
    const checkpoints = ['checkpoint a 1 gzip', 'checkpoint a 2 gzip'];
    expect(stage.heard).toEqual([...checkpoints, said, 'started b', 'result b 1', 'result c 1']);
  });

  test('that cannot be sent does not hold back the outcome either', async () => {
    stage.checkpointOf('a', 1, '[1,2,3]');
    stage.ends(failure('a'));
    await stage.fail('no way');
    expect(stage.heard).toEqual(['failure a attempt_timeout']);
  });

  test('of an attempt that is cancelled is given up', async () => {
    stage.checkpointOf('a', 1, '[1,2,3]');
    stage.ends(failure('a'));
    stage.executor.stop(0, 'a', 'cancelled');
    expect(stage.heard).toEqual(['stopped a cancelled']);
    await stage.arrive(gzip());
    expect(stage.heard).toHaveLength(1);
  });

  describe('that takes too long', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    test('is given up in time for the failure to count', async () => {
      stage.checkpointOf('a', 1, '[1,2,3]');
      stage.ends(failure('a'));
      vi.advanceTimersByTime(3_999);
      expect(stage.heard).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(stage.heard).toEqual(['failure a attempt_timeout']);
      stage.loads.shift()!.arrive(gzip());
      await settle();
      expect(stage.heard).toHaveLength(1);
    });
  });
});

describe('an input', () => {
  const ref = blobReference(sha);

  test('in a blob is told by its exact form', () => {
    expect(blobReferenceOf(ref)).toBe(sha);
    const others = [`{"$blob":"${'AB'.repeat(32)}"}`, `{"blobs":"${sha}"}`, `[${ref}]`, '1', ''];
    expect(others.map(blobReferenceOf)).toEqual(others.map(() => undefined));
  });

  test('is fetched before the attempt is handed over, and those behind wait', async () => {
    stage.give(['a', '1'], ['b', ref], ['c', '3']);
    stage.give(['d', '4']);
    expect(stage.told).toEqual(['run a=1']);
    await stage.arrive('[2]');
    expect(stage.told).toEqual(['run a=1', 'run b=[2] c=3 d=4']);
    stage.give(['e', '5']);
    expect(stage.told).toHaveLength(3);
  });

  test('that cannot be had fails its attempt and no other', async () => {
    stage.give(['a', ref], ['b', '2']);
    await stage.fail('no such blob');
    expect(stage.heard).toEqual(['failure a input_unavailable']);
    expect(stage.told).toEqual(['run b=2']);
  });

  test('is not waited for when its attempt is stopped', async () => {
    stage.give(['a', ref], ['b', '2']);
    stage.executor.stop(0, 'a', 'cancelled');
    expect(stage.heard).toEqual(['stopped a cancelled']);
    expect(stage.told).toEqual(['run b=2']);
    await stage.arrive('1');
    expect(stage.told).toHaveLength(1);
  });
});

describe('bytes', () => {
  test('as an input are fetched, and handed over as they are', async () => {
    stage.give(['a', bytesReference(sha)], ['b', '2']);
    expect(stage.loads.map(({ what }) => what)).toEqual(['fetch bytes ab']);
    await stage.arrive(new Uint8Array([1, 255]));
    expect(stage.told).toEqual(['run a=bytes 1,255 b=2']);
  });

  test('as a result are stored, however few, and stand for themselves by a reference', async () => {
    const valueBytes = new Uint8Array([7]);
    stage.ends({ ...result('a', 'null'), valueBytes } as ExecutorOutcome, result('b'));
    expect(stage.loads.map(({ what }) => what)).toEqual(['store bytes 7']);
    await stage.arrive(sha);
    expect(stage.heard).toEqual([`result a ${bytesReference(sha)}`, 'result b 1']);
  });
});

describe('what a program names', () => {
  const module = 'cd'.repeat(32);
  const wasm: ExecutorProgram = {
    ...program,
    kind: 'wasm',
    source: JSON.stringify({ kind: 'wasm', module: { $blob: module } }),
    sharedJson: bytesReference(sha),
  };

  test('is fetched before its first attempt, once for all that come meanwhile, and others wait', async () => {
    stage.giveOf(wasm, ['a', '1'], ['b', blobReference(sha)]);
    stage.giveOf(wasm, ['c', '3']);
    stage.give(['d', '4']);
    expect(stage.loads.map(({ what }) => what)).toEqual(['hold cd,ab', 'fetch ab']);
    expect(stage.told).toEqual([]);
    await stage.arrive(undefined);
    expect(stage.told).toEqual(['run a=1']);
    await stage.arrive('[2]');
    expect(stage.told).toEqual(['run a=1', 'run b=[2] c=3', 'run d=4']);
    expect([...stage.programs[0]!.blobs!.keys()]).toEqual([module, sha]);
    expect(stage.programs[2]).toBe(program);
    // From now on it is at hand.
    stage.giveOf(wasm, ['e', '5']);
    expect(stage.told.at(-1)).toBe('run e=5');
    expect(stage.programs.at(-1)).toBe(stage.programs[0]);
  });

  test('is held until its last attempt has ended, however that was', async () => {
    stage.giveOf(wasm, ['a', '1'], ['b', '2'], ['c', '3']);
    await stage.arrive(undefined);
    stage.ends(result('a'), failure('x'));
    stage.returns('b');
    expect(stage.released).toEqual([]);
    stage.ends(stopped('c'));
    expect(stage.released).toEqual(['cd,ab']);
    stage.giveOf(wasm, ['d', '4']);
    expect(stage.loads.map(({ what }) => what)).toEqual(['hold cd,ab']);
  });

  test('is let go when nobody waits for it any more', async () => {
    stage.giveOf(wasm, ['a', '1']);
    stage.executor.stop(0, 'a', 'cancelled');
    await stage.arrive(undefined);
    expect([stage.told, stage.released]).toEqual([[], ['cd,ab']]);
  });

  test('and cannot be had fails its attempts, which may be tried again, and no others', async () => {
    stage.giveOf(wasm, ['a', '1'], ['b', '2']);
    stage.give(['c', '3']);
    await stage.fail('GET of the blob was answered with 404.');
    expect(stage.heard).toEqual(['failure a file_unavailable', 'failure b file_unavailable']);
    expect(stage.told).toEqual(['run c=3']);
    stage.giveOf(wasm, ['d', '4']);
    expect(stage.loads).toHaveLength(1);
  });

  test('is asked for only where something is named', async () => {
    stage.giveOf({ ...program, sharedJson: '{"a":1}' }, ['a', '1']);
    expect(stage.loads.map(({ what }) => what)).toEqual(['hold ']);
    await stage.arrive(undefined);
    expect(stage.told).toEqual(['run a=1']);
    expect(stage.programs[0]).not.toHaveProperty('blobs');
  });

  test.each([
    ['no JSON', 'export default 1'],
    ['no module', '{"kind":"wasm"}'],
    ['a name that is none', '{"kind":"wasm","module":{"$blob":"../x"}}'],
  ])('is not looked for in what is no such program: %s', async (_name, source) => {
    stage.giveOf({ ...wasm, source }, ['a', '1']);
    await settle();
    expect(stage.heard).toEqual(['failure a program_invalid']);
    expect(stage.loads).toEqual([]);
  });
});

describe('a large result', () => {
  test('is stored, and stands for itself by a reference', async () => {
    stage.ends(result('a', '[1,2,3,4,5,6]'), result('b'));
    expect(stage.heard).toEqual([]);
    await stage.arrive(sha);
    expect(stage.heard).toEqual([`result a ${blobReference(sha)}`, 'result b 1']);
  });

  test('that cannot be stored is a failure that may be tried again', async () => {
    stage.ends(result('a', '[1,2,3,4,5,6]'));
    await stage.fail('no room');
    expect(stage.heard).toEqual(['failure a result_not_stored']);
  });

  test('that the coordinator refuses is too large, for good', async () => {
    stage.ends(result('a', '[1,2,3,4,5,6]'));
    await stage.fail(new PayloadFault('refused', true));
    expect(stage.heard).toEqual(['failure a result_too_large']);
  });

  test('of an attempt that is cancelled meanwhile is not waited for', async () => {
    stage.ends(result('a', '[1,2,3,4,5,6]'));
    stage.executor.stop(0, 'a', 'cancelled');
    expect(stage.heard).toEqual(['stopped a cancelled']);
    await stage.arrive(sha);
    expect(stage.heard).toHaveLength(1);
  });
});

test('nothing is said after the end', async () => {
  stage.checkpointOf('a', 1, '[1,2,3]');
  stage.give(['b', blobReference(sha)]);
  await stage.executor.close();
  await stage.arrive(gzip());
  await stage.fail('closed');
  expect([stage.heard, stage.told]).toEqual([[], []]);
});
