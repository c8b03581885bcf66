// Modules that want more than they may have: what of the device they find, what they make of places that they do not
// have, and how much they take. Each with what must happen.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GuestFault, type GuestStep } from '../sandbox/guest.ts';
import { errno } from './errno.ts';
import {
  HandTask,
  type HandTaskOptions,
  type LoadOptions,
  loadModule,
  runToEnd,
} from './testing/hand-task.ts';
import { ordinaryPrograms } from './testing/programs.ts';
import { assemble, called, ordinary, toWrite, type WatProgram } from './testing/wat.ts';
import { WasmKind } from './wasm-kind.ts';

const kind = new WasmKind({ nowMs: () => performance.now() });

async function run(
  module: Uint8Array,
  options: HandTaskOptions & LoadOptions = {},
): Promise<{ readonly step: GuestStep; readonly task: HandTask }> {
  const program = await loadModule(kind, module, options);
  const task = new HandTask(null, options);
  const step = runToEnd(program, task);
  program.forget();
  return { step, task };
}

/** The number that an ordinary program says, of which `expression` is the last. */
async function said(
  expression: string,
  program: WatProgram = {},
  options: LoadOptions = {},
): Promise<number> {
  const module = await ordinary(`(call $say (i64.extend_i32_u ${expression}))`, program);
  const { step } = await run(module, options);
  if (step.type !== 'result' || !('json' in step.value)) throw new Error(JSON.stringify(step));
  return Number(step.value.json);
}

/** The sentence with which a module is refused. */
async function refusal(module: Uint8Array | Promise<Uint8Array>): Promise<string> {
  try {
    await loadModule(kind, await module);
  } catch (error) {
    if (error instanceof GuestFault && error.errorType === 'program_invalid') return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a module is refused', () => {
  const start = '(func (export "_start"))';

  test.each([
    [
      'that imports a function nobody offers',
      '(import "env" "system" (func (param i32)))',
      /env\.system/,
    ],
    [
      'that imports from a prototype',
      '(import "__proto__" "constructor" (func))',
      /__proto__\.constructor/,
    ],
    [
      'that imports what an object inherits',
      '(import "wasi_snapshot_preview1" "toString" (func))',
      /toString/,
    ],
    [
      'that imports a host function as another',
      '(import "muster" "log" (func (param externref)))',
      /muster\.log of the type \(externref\)/,
    ],
    [
      'that imports a global variable',
      '(import "env" "__stack_pointer" (global (mut i32)))',
      /imports a global/,
    ],
    ['that imports a table', '(import "env" "table" (table 1 funcref))', /imports a table/],
    ['with a shared memory', '(memory (export "memory") 1 2 shared)', /shared memory/],
    ['with a memory of 64 bits', '(memory (export "memory") i64 1)', /64 bits/],
    ['with two memories', '(memory (export "memory") 1) (memory 1)', /more than one memory/],
    [
      'that wants 4 GiB from the start',
      '(memory (export "memory") 65536)',
      /4096 MB .* may have 64 MB/,
    ],
    ['with a table of ten million elements', '(table 10000000 funcref)', /tables of more than/],
  ])('%s', async (_name, text, sentence) => {
    expect(await refusal(assemble(`(module ${text} ${start})`))).toMatch(sentence);
  });

  test('all imports that nobody offers are named, but not without end', async () => {
    const imports = Array.from({ length: 20 }, (_, at) => `(import "env" "f${at}" (func))`);
    const sentence = await refusal(assemble(`(module ${imports.join(' ')} ${start})`));
    expect(sentence).toContain('env.f0, env.f1, env.f2');
    expect(sentence).toContain('and 12 more');
  });

  test.each([
    ['without an interface', '(func (export "main"))', /exports neither _start .* it exports main/],
    [
      'whose start is a variable',
      '(global (export "_start") i32 (i32.const 1))',
      /_start must be a function .* is global/,
    ],
    [
      'whose start takes something',
      '(func (export "_start") (param i32))',
      /of the type \(\) -> \(\), and is \(i32\) -> \(\)/,
    ],
    [
      'that cannot be called',
      '(func (export "muster_run") (param i32 i32) (result i64) (i64.const 0))',
      /no function muster_alloc/,
    ],
    [
      'for wasm-bindgen',
      '(import "wbg" "__wbindgen_throw" (func (param i32 i32)))',
      /wasm-bindgen/,
    ],
    [
      'without a memory to talk about',
      `(import "muster" "cancelled" (func (result i32))) ${start}`,
      /exports no memory/,
    ],
    [
      'whose memory is a function',
      `(import "muster" "cancelled" (func (result i32))) (func (export "memory")) ${start}`,
      /exports no memory/,
    ],
    [
      'in steps, with checkpoints of its own',
      `(import "muster" "checkpoint" (func (param i32 i32))) (memory (export "memory") 1)
      (func (export "muster_alloc") (param i32) (result i32) (i32.const 0)) (func (export "muster_begin") (param i32 i32))
      (func (export "muster_step") (result i32) (i32.const 1)) (func (export "muster_result") (result i64) (i64.const 0))`,
      /muster\.checkpoint \(a program in steps/,
    ],
  ])('%s', async (_name, text, sentence) => {
    expect(await refusal(assemble(`(module ${text})`))).toMatch(sentence);
  });

  test.each([
    ['that is none', [1, 2, 3, 4, 5, 6, 7, 8], /no WebAssembly/],
    ['that is a component', [0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0], /component/],
    ['of another version', [0, 0x61, 0x73, 0x6d, 2, 0, 0, 0], /version/],
    [
      'with types of its own',
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 3, 1, 0x5f, 0],
      /garbage collection/,
    ],
    [
      'with a number without an end',
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f],
      /32 bits/,
    ],
    [
      'that says it has four thousand million types',
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f],
      /ends too early/,
    ],
    [
      'with two sections of a kind',
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0],
      /second section/,
    ],
  ])('%s', async (_name, bytes, sentence) => {
    expect(await refusal(Uint8Array.from(bytes))).toMatch(sentence);
  });

  /** True when it was taken, false when it was refused with a sentence. */
  async function isTaken(bytes: Uint8Array): Promise<boolean> {
    const loaded = await loadModule(kind, bytes, { memoryMb: 4 }).catch((error: unknown) => error);
    if (!(loaded instanceof Error)) return true;
    expect(loaded).toBeInstanceOf(GuestFault);
    expect(loaded.message).toMatch(/^(?:the module |_start |wasi_snapshot)/);
    return false;
  }

  test('cut anywhere it is refused with a sentence, but where only its data are missing', async () => {
    const whole = await ordinaryPrograms.sum;
    const taken: number[] = [];
    for (let length = 0; length < whole.length; length++) {
      if (await isTaken(whole.subarray(0, length))) taken.push(length);
    }
    expect(taken).toHaveLength(1);
  });

  test('with bytes changed it is refused with a sentence or it is taken', async () => {
    const whole = await ordinaryPrograms.sum;
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    const seen = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = whole.slice();
        for (const [at, byte] of changes) bytes[at] = byte;
        seen.add(await isTaken(bytes));
      }),
      { numRuns: 500 },
    );
    expect(seen.size).toBe(2);
  });
});

test('what is called memory and is none is not taken for one', async () => {
  const text = '(module (func (export "memory")) (memory 1) (func (export "_start")))';
  const { step } = await run(await assemble(text), { fields: { output: 'text' } });
  expect(step).toEqual({ type: 'result', value: { json: '""' } });
});

describe('places that a program does not have', () => {
  const list = 1024;
  /** A list with one piece of memory. */
  const piece = (at: number, length: number) =>
    `(i32.store (i32.const ${list}) (i32.const ${at})) (i32.store (i32.const ${list + 4}) (i32.const ${length}))`;
  const writing = (at: number, length: number) =>
    `(block (result i32) ${piece(at, length)} (call $fd_write (i32.const 2) (i32.const ${list}) (i32.const 1) (i32.const 8)))`;

  test.each([
    ['a piece that begins behind the memory', writing(131_072, 1)],
    ['a piece that ends behind it', writing(131_000, 100)],
    ['a piece of a negative length', writing(0, -1)],
    ['a piece whose end goes round', writing(-16, 32)],
    [
      'a list behind it',
      '(call $fd_write (i32.const 2) (i32.const -8) (i32.const 1) (i32.const 8))',
    ],
    [
      'a list that ends behind it',
      '(call $fd_write (i32.const 2) (i32.const 131064) (i32.const 2) (i32.const 8))',
    ],
    [
      'a count behind it, with nothing printed',
      '(call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const -4))',
    ],
    [
      'reading to it',
      `(block (result i32) ${piece(131_070, 10)} (call $fd_read (i32.const 0) (i32.const ${list}) (i32.const 1) (i32.const 8)))`,
    ],
    ['random bytes for all of 4 GiB', '(call $random_get (i32.const 1) (i32.const -1))'],
    ['arguments', '(call $args_get (i32.const 131070) (i32.const 0))'],
    ['the environment', '(call $environ_get (i32.const 0) (i32.const 131070))'],
    ['the time', '(call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 131065))'],
    [
      'a path',
      '(call $path_filestat_get (i32.const 3) (i32.const 0) (i32.const 131070) (i32.const 3) (i32.const 0))',
    ],
    [
      'what is known of a file',
      '(call $path_filestat_get (i32.const 3) (i32.const 0) (i32.const 256) (i32.const 3) (i32.const -64))',
    ],
    [
      'the entries of a folder',
      '(call $fd_readdir (i32.const 3) (i32.const 131000) (i32.const 100) (i64.const 0) (i32.const 8))',
    ],
    ['what is open', '(call $fd_fdstat_get (i32.const 1) (i32.const 131060))'],
    ['a name', '(call $fd_prestat_dir_name (i32.const 3) (i32.const -1) (i32.const 1))'],
    ['where in a file', '(call $fd_tell (i32.const 0) (i32.const -8))'],
    ['events', '(call $poll_oneoff (i32.const 0) (i32.const -32) (i32.const 1) (i32.const 8))'],
  ])('%s are a fault', async (_name, expression) => {
    const wasi = [
      'random_get',
      'args_get',
      'environ_get',
      'clock_time_get',
      'path_filestat_get',
      'fd_readdir',
      'fd_fdstat_get',
      'fd_prestat_dir_name',
      'fd_tell',
      'poll_oneoff',
    ];
    expect(await said(expression, { wasi, data: { 256: 'tmp' } })).toBe(errno.fault);
  });

  test.each([
    [
      'a list of four thousand million pieces',
      '(call $fd_write (i32.const 2) (i32.const 0) (i32.const -1) (i32.const 8))',
      errno.invalid,
    ],
    [
      'four thousand million events',
      '(call $poll_oneoff (i32.const 0) (i32.const 0) (i32.const -1) (i32.const 8))',
      errno.invalid,
    ],
    ['a descriptor below zero', '(call $fd_close (i32.const -1))', errno.badDescriptor],
    [
      'a path of 4 GiB',
      '(call $path_unlink_file (i32.const 3) (i32.const 0) (i32.const -1))',
      errno.fault,
    ],
    [
      'a folder that is a stream',
      '(call $path_unlink_file (i32.const 1) (i32.const 256) (i32.const 3))',
      errno.notFolder,
    ],
    [
      'a connection',
      '(call $sock_accept (i32.const 3) (i32.const 0) (i32.const 8))',
      errno.notSupported,
    ],
    [
      'bytes for a connection',
      '(call $sock_send (i32.const 3) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 8))',
      errno.notSupported,
    ],
  ])('%s: an error', async (_name, expression, code) => {
    const wasi = ['poll_oneoff', 'fd_close', 'path_unlink_file', 'sock_accept', 'sock_send'];
    expect(await said(expression, { wasi, data: { 256: 'tmp' } })).toBe(code);
  });

  test('pieces that lie over each other and over their own list are read as they were named', async () => {
    const module = await ordinary(
      `(i32.store (i32.const 1024) (i32.const 1024)) (i32.store (i32.const 1028) (i32.const 16))
       (i32.store (i32.const 1032) (i32.const 2048)) (i32.store (i32.const 1036) (i32.const 8))
       (drop (call $fd_read (i32.const 0) (i32.const 1024) (i32.const 2) (i32.const 8)))
       (call $say (i64.extend_i32_u (i32.load (i32.const 8))))`,
    );
    const program = await loadModule(kind, module);
    const step = runToEnd(program, new HandTask(new Uint8Array(100).fill(0xff)));
    expect(step).toEqual({ type: 'result', value: { json: '24' } });
  });

  test('a call moves a bounded number of bytes, however many are named', async () => {
    const module = await ordinary(
      `(local.set $n (i32.const 0))
       (loop $next
         (i32.store (i32.add (i32.const 8192) (local.get $n)) (i32.const 0))
         (i32.store (i32.add (i32.const 8196) (local.get $n)) (i32.const 33554432))
         (local.set $n (i32.add (local.get $n) (i32.const 8)))
         (br_if $next (i32.lt_u (local.get $n) (i32.const 8192))))
       (drop (call $fd_write (i32.const 2) (i32.const 8192) (i32.const 1024) (i32.const 8)))
       (call $say (i64.extend_i32_u (i32.load (i32.const 8))))`,
      { pages: 512 },
    );
    const { step, task } = await run(module);
    expect(step).toEqual({ type: 'result', value: { json: String(16 * 1024 * 1024) } });
    expect(task.printed.length).toBe(16 * 1024 * 1024);
  });

  test.each([
    ['muster_alloc gives a place outside', '(i32.const -4)', '(i64.const 0)', /muster_alloc gave/],
    [
      'muster_run gives a place outside',
      '(i32.const 0)',
      '(i64.const 0xffffffff00000001)',
      /muster_run gave/,
    ],
    [
      'muster_run gives 4 GiB',
      '(i32.const 0)',
      '(i64.const 0x00000000ffffffff)',
      /muster_run gave/,
    ],
  ])('%s: a trap', async (_name, place, result, message) => {
    const module = await assemble(`(module (memory (export "memory") 1)
      (func (export "muster_alloc") (param i32) (result i32) ${place})
      (func (export "muster_run") (param i32 i32) (result i64) ${result}))`);
    const { step } = await run(module);
    expect(step).toMatchObject({ type: 'failure', errorType: 'wasm_trap' });
    expect(step).toHaveProperty('message', expect.stringMatching(message));
  });

  test.each(['log', 'fail', 'checkpoint'])('muster.%s of 4 GiB is a trap', async (name) => {
    const module = await called(
      `(call $muster_${name} (i32.const 4) (i32.const -1)) (i64.const 0)`,
      { muster: [name] },
    );
    const { step, task } = await run(module, { isDue: true });
    expect(step).toMatchObject({ errorType: 'wasm_trap', message: expect.stringContaining(name) });
    expect(task.offers).toEqual([]);
    expect(task.printed).toBe('');
  });
});

describe('paths', () => {
  test.each([
    ['..', errno.notCapable],
    ['../..', errno.notCapable],
    ['tmp/../../etc/passwd', errno.notCapable],
    ['./././..', errno.notCapable],
    ['/etc/passwd', errno.notCapable],
    ['etc/passwd', errno.noEntry],
    ['proc/self/environ', errno.noEntry],
    ['tmp/a\\00b', errno.invalid],
    ['\\ff\\fe', errno.badText],
    ['a'.repeat(300), errno.nameTooLong],
    ['a/'.repeat(5000), errno.nameTooLong],
    ['', errno.noEntry],
    ['__proto__', errno.noEntry],
    ['constructor', errno.noEntry],
    ['tmp/..', errno.success],
    ['muster', errno.success],
  ])('%s', async (text, code) => {
    // Escapes are one byte each.
    const length = text.replaceAll(/\\[0-9a-f]{2}/g, '.').length;
    expect(
      await said(
        `(call $path_filestat_get (i32.const 3) (i32.const 0) (i32.const 256) (i32.const ${length}) (i32.const 60000))`,
        { wasi: ['path_filestat_get'], data: { 256: text } },
      ),
    ).toBe(code);
  });

  test('a folder that is open leads no further up than itself', async () => {
    const code = await said(
      `(block (result i32)
        (local.set $fd (call $open (i32.const 256) (i32.const 3) (i32.const 2) (i64.const 2)))
        (call $path_filestat_get (local.get $fd) (i32.const 0) (i32.const 264) (i32.const 9) (i32.const 2048)))`,
      { wasi: ['path_filestat_get'], data: { 256: 'tmp', 264: '../muster' } },
    );
    expect(code).toBe(errno.notCapable);
  });

  const given = {
    fields: { files: { '/data/in': { $blob: 'in' } } },
    blobs: { in: Uint8Array.of(1) },
  };
  const inside = '(i32.const 256) (i32.const 7)';

  test.each([
    [
      'written to',
      `(i32.eq (call $open ${inside} (i32.const 0) (i64.const 64)) (i32.const -1))`,
      1,
    ],
    ['emptied', `(i32.eq (call $open ${inside} (i32.const 8) (i64.const 2)) (i32.const -1))`, 1],
    ['deleted', `(call $path_unlink_file (i32.const 3) ${inside})`, errno.readOnly],
    [
      'moved',
      `(call $path_rename (i32.const 3) ${inside} (i32.const 3) (i32.const 272) (i32.const 5))`,
      errno.readOnly,
    ],
    [
      'replaced',
      `(call $path_rename (i32.const 3) (i32.const 288) (i32.const 5) (i32.const 3) ${inside})`,
      errno.readOnly,
    ],
    [
      'deleted with its folder',
      '(call $path_remove_directory (i32.const 3) (i32.const 256) (i32.const 4))',
      errno.readOnly,
    ],
  ])('a file of the program cannot be %s', async (_name, expression, code) => {
    const wasi = ['path_unlink_file', 'path_rename', 'path_remove_directory'];
    const made = `(block (result i32)
      (drop (call $open (i32.const 288) (i32.const 5) ${toWrite})) ${expression})`;
    const data = { 256: 'data/in', 272: 'tmp/x', 288: 'tmp/y' };
    expect(await said(made, { wasi, data }, given)).toBe(code);
  });

  test.each([
    [
      'a folder into itself',
      '(call $path_rename (i32.const 3) (i32.const 272) (i32.const 5) (i32.const 3) (i32.const 272) (i32.const 7))',
      errno.invalid,
    ],
    [
      'the folder of the runner',
      '(call $path_rename (i32.const 3) (i32.const 256) (i32.const 6) (i32.const 3) (i32.const 272) (i32.const 5))',
      errno.readOnly,
    ],
    [
      'the root',
      '(call $path_rename (i32.const 3) (i32.const 288) (i32.const 1) (i32.const 3) (i32.const 272) (i32.const 5))',
      errno.invalid,
    ],
    [
      'something to the name of the order to stop',
      '(call $path_rename (i32.const 3) (i32.const 272) (i32.const 5) (i32.const 3) (i32.const 256) (i32.const 11))',
      errno.notPermitted,
    ],
  ])('cannot move %s', async (_name, expression, code) => {
    const made = `(block (result i32)
      (drop (call $path_create_directory (i32.const 3) (i32.const 272) (i32.const 5))) ${expression})`;
    const wasi = ['path_rename', 'path_create_directory'];
    expect(await said(made, { wasi, data: { 256: 'muster/stop', 272: 'tmp/d/e', 288: '.' } })).toBe(
      code,
    );
  });

  test.each([
    [
      'symlink',
      '(call $path_symlink (i32.const 256) (i32.const 3) (i32.const 3) (i32.const 256) (i32.const 3))',
    ],
    [
      'link',
      '(call $path_link (i32.const 3) (i32.const 0) (i32.const 256) (i32.const 3) (i32.const 3) (i32.const 256) (i32.const 3))',
    ],
  ])('there is no %s', async (_name, expression) => {
    const wasi = ['path_symlink', 'path_link'];
    expect(await said(expression, { wasi, data: { 256: 'tmp' } })).toBe(errno.notSupported);
  });
});
