// The SDK and what is not JavaScript, nor JSON: programs of other kinds, bytes in and out, a value that tasks share. A
// worker by hand plays the one that runs them.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  command,
  connect,
  type MusterClient,
  NotJsonError,
  python,
  wasm,
} from '../../src/client/index.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let worker: HandWorker;
let client: MusterClient;
beforeEach(async () => {
  live = await startLiveServer();
  worker = await HandWorker.register(live, {
    slots: 8,
    kinds: ['javascript', 'wasm', 'python', 'command:ffmpeg'],
    hands: ['bytes', 'shared'],
  });
  client = connect(live.url);
});
afterEach(() => live.close());

const refOf = (text: string | Uint8Array) => ({
  $blob: createHash('sha256').update(text).digest('hex'),
});

/** Waits for assignments, and answers each with what `value` makes of it. */
async function serve(value: (assignment: Loose) => unknown, count = 1): Promise<Loose[]> {
  const taken: Loose[] = [];
  while (taken.length < count) {
    const assignments = await worker.claim();
    taken.push(...assignments);
    const results = await Promise.all(
      assignments.map(async ({ task_id, attempt, token, ...rest }) => {
        return { task_id, attempt, token, value: await value(rest) };
      }),
    );
    if (results.length > 0) await worker.report({ results });
    else await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return taken;
}

describe('map runs', () => {
  test('a module of WebAssembly, which is uploaded with its files', async () => {
    const [module, model] = [Uint8Array.of(0, 97, 115, 109), Uint8Array.of(1, 2)];
    const program = wasm<number, number>(module, { files: { '/model': model }, args: ['-v'] });
    const mapped = client.map([1, 2], program);
    const [values, taken] = await Promise.all([mapped, serve(({ input }) => input * 2, 2)]);
    expect(values).toEqual([2, 4]);
    const files = { '/model': refOf(model) };
    expect(taken[0]!.program.definition).toEqual({
      kind: 'wasm',
      module: refOf(module),
      args: ['-v'],
      files,
    });
    expect(await client.getBlobBytes(refOf(model))).toEqual(model);
  });

  test('a module from an address', async () => {
    const bytes = Buffer.from('a module');
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/m.wasm' ? 200 : 404).end(bytes);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = (path: string) =>
      new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    const [values] = await Promise.all([client.map([1], wasm(at('/m.wasm'))), serve(() => 'done')]);
    expect(values).toEqual(['done']);
    await expect(client.map([1], wasm(at('/none')))).rejects.toThrow('was answered with 404');
    await expect(client.map([1], wasm(new URL('file:///m.wasm')))).rejects.toThrow(
      'read it, and give its bytes',
    );
    server.close();
  });

  test('a module of Python with its wheels', async () => {
    const content = await client.putBlob(Uint8Array.of(80, 75));
    const packages = [{ name: 'demo-1.0-py3-none-any.whl', content }];
    const source = 'def work(input, task):\n    return input';
    const mapped = client.map(['a'], python(source, { function: 'work', packages }));
    const [, taken] = await Promise.all([mapped, serve(() => null)]);
    expect(taken[0]!.program).toMatchObject({
      kind: 'python',
      definition: { kind: 'python', source, function: 'work', packages },
    });
  });

  test('a command with templates of its arguments', async () => {
    const program = command('ffmpeg', ['-i', '{input.file}'], { result: 'none' });
    const mapped = client.map([{ file: 'a' }], program);
    const [, taken] = await Promise.all([mapped, serve(() => null)]);
    expect(taken[0]!.program).toMatchObject({
      kind: 'command:ffmpeg',
      definition: { command: 'ffmpeg', args: ['-i', '{input.file}'], result: 'none' },
    });
  });

  test('no function of such a program: `with` is told to be `shared`', async () => {
    const mapped = client.map([1], python('x'), { with: { a: 1 } });
    await expect(mapped).rejects.toThrow('give `shared`');
  });
});

describe('bytes', () => {
  const bytes = Uint8Array.of(0, 255, 10);

  test('go in as a whole input, beside others in JSON, and come out as a whole result', async () => {
    const mapped = client.map([bytes, { n: 1 }], (input) => input as Uint8Array);
    const back = async ({ input }: Loose) => input;
    const [values, taken] = await Promise.all([mapped, serve(back, 2)]);
    expect(taken.map(({ input }) => input)).toEqual([{ $bytes: refOf(bytes).$blob }, { n: 1 }]);
    expect(values).toEqual([bytes, { n: 1 }]);
  });

  test.each([
    ['in one body', (job: object) => client.submit({ ...job, inputs: [1, bytes] } as never)],
    [
      'in a stream',
      (job: object) =>
        client.submitStream(
          job as never,
          (async function* () {
            yield 1;
            yield bytes;
          })() as never,
        ),
    ],
  ])('are uploaded %s', async (_name, submit) => {
    const { id } = await submit({ program: { kind: 'javascript', source: 'export default 1' } });
    await serve(({ input }) => input, 2);
    const values: unknown[] = [];
    for await (const result of client.results(id)) values.push('value' in result && result.value);
    expect(values).toEqual([1, bytes]);
    const references: unknown[] = [];
    for await (const result of client.results(id, { references: true })) {
      references.push('value' in result && result.value);
    }
    expect(references).toEqual([1, { $bytes: refOf(bytes).$blob }]);
  });

  test('inside of an input are no JSON', async () => {
    const mapped = client.map([{ bytes } as never], () => 1);
    await expect(mapped).rejects.toBeInstanceOf(NotJsonError);
  });
});

describe('what tasks share', () => {
  test.each([
    ['a value', { table: [1, 2] }, { table: [1, 2] }],
    ['null', null, null],
    ['bytes', Uint8Array.of(7), { $bytes: refOf(Uint8Array.of(7)).$blob }],
    ['a long value', 'x'.repeat(2_000_000), refOf(JSON.stringify('x'.repeat(2_000_000)))],
  ])('is sent with the program: %s', async (_name, shared, sent) => {
    const mapped = client.map([1], (n, { shared: value }) => [n, value], { shared });
    const [, taken] = await Promise.all([mapped, serve(() => null)]);
    expect(taken[0]!.program.shared).toEqual(sent);
  });

  test('must be JSON', async () => {
    const mapped = client.map([1], () => 1, { shared: { when: new Date(0) } });
    await expect(mapped).rejects.toThrow('shared.when');
  });
});
