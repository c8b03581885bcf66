// Programs that take what there is: files, output, stack, time. Each with where it ends.

import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { GuestStep } from '../sandbox/guest.ts';
import { errno } from './errno.ts';
import {
  HandTask,
  type HandTaskOptions,
  type LoadOptions,
  loadModule,
  runToEnd,
} from './testing/hand-task.ts';
import { ordinaryPrograms, steppedPrograms } from './testing/programs.ts';
import {
  assemble,
  called,
  ordinary,
  stepped,
  toRead,
  toWrite,
  type WatProgram,
} from './testing/wat.ts';
import { WasmKind } from './wasm-kind.ts';

const kind = new WasmKind({ nowMs: () => performance.now() });
const mib = 1024 * 1024;
/** 64 MiB that are deflated to 64 KiB. */
const bomb = deflateRawSync(Buffer.alloc(64 * mib, 1)).toString('base64');

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

/** The number that an ordinary program says in the end. */
async function said(
  body: string,
  program: WatProgram = {},
  options: LoadOptions = {},
): Promise<number> {
  const { step } = await run(await ordinary(body, program), options);
  if (step.type !== 'result' || !('json' in step.value)) throw new Error(JSON.stringify(step));
  return Number(step.value.json);
}

const sayCount = '(call $say (i64.extend_i32_u (local.get $n)))';
const sayFault = (expression: string) => `(call $say (i64.extend_i32_u ${expression}))`;
const path = '(i32.const 256) (i32.const 5)';
const openFile = `(local.set $fd (call $open ${path} (i32.const 1) (i64.const 66)))`;

/** Repeats while `expression` is no error; says how often it was none, times a thousand, and the error. */
const untilFault = (expression: string) => `
  (local.set $x (i64.const 0))
  (loop $next
    (local.set $n ${expression})
    (if (i32.eqz (local.get $n)) (then
      (local.set $x (i64.add (local.get $x) (i64.const 1000)))
      (br $next))))
  (call $say (i64.add (local.get $x) (i64.extend_i32_u (local.get $n))))`;

describe('files in memory', () => {
  test('grow up to a quarter of what the task may have, and no further', async () => {
    const body = `${openFile} ${untilFault('(call $write (local.get $fd) (i32.const 0) (i32.const 65536))')}`;
    const count = await said(body, { data: { 256: 'tmp/x' } }, { memoryMb: 128 });
    expect(count % 1000).toBe(errno.noSpace);
    const written = Math.floor(count / 1000) * 65_536;
    expect(written).toBeLessThanOrEqual(32 * mib);
    expect(written).toBeGreaterThan(31 * mib);
  });

  test('grow a byte at a time without being copied each time', async () => {
    const body = `${openFile}
      (local.set $n (i32.const 100000))
      (loop $next
        (drop (call $write (local.get $fd) (i32.const 0) (i32.const 1)))
        (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      ${sayCount}`;
    const startedAt = performance.now();
    await said(body, { data: { 256: 'tmp/x' } });
    // Copied each time, it would be 5 GB.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test.each([
    [
      'a byte at 2^50',
      '(i32.add (call $fd_seek (local.get $fd) (i64.const 1125899906842624) (i32.const 0) (i32.const 16)) (call $write (local.get $fd) (i32.const 0) (i32.const 1)))',
      errno.noSpace,
    ],
    [
      'a place below zero',
      '(call $fd_seek (local.get $fd) (i64.const -1) (i32.const 0) (i32.const 16))',
      errno.invalid,
    ],
    [
      'the least place that 64 bits can tell',
      '(call $fd_seek (local.get $fd) (i64.const 0x8000000000000000) (i32.const 1) (i32.const 16))',
      errno.invalid,
    ],
    [
      'a place that no double can tell',
      '(call $fd_seek (local.get $fd) (i64.const 0x7fffffffffffffff) (i32.const 0) (i32.const 16))',
      errno.invalid,
    ],
    [
      'a size of 2^40',
      '(call $fd_filestat_set_size (local.get $fd) (i64.const 1099511627776))',
      errno.noSpace,
    ],
    [
      'a size below zero',
      '(call $fd_filestat_set_size (local.get $fd) (i64.const -5))',
      errno.invalid,
    ],
    [
      'room for 2^40',
      '(call $fd_allocate (local.get $fd) (i64.const 0) (i64.const 1099511627776))',
      errno.noSpace,
    ],
    [
      'bytes at 2^45',
      '(block (result i32) (i32.store (i32.const 0) (i32.const 0)) (i32.store (i32.const 4) (i32.const 9)) (call $fd_pwrite (local.get $fd) (i32.const 0) (i32.const 1) (i64.const 35184372088832) (i32.const 8)))',
      errno.noSpace,
    ],
  ])('cannot have %s', async (_name, expression, code) => {
    const wasi = ['fd_seek', 'fd_filestat_set_size', 'fd_allocate', 'fd_pwrite'];
    expect(
      await said(`${openFile} ${sayFault(expression)}`, { wasi, data: { 256: 'tmp/x' } }),
    ).toBe(code);
  });

  test('are not without number, though they are empty', async () => {
    const body = untilFault(`(block (result i32)
      (local.set $fd (call $open (i32.const 256) (i32.const 8) ${toWrite}))
      (if (i32.eq (local.get $fd) (i32.const -1))
        (then (local.set $fd (i32.const 99)))
        (else (drop (call $fd_close (local.get $fd))) (local.set $fd (i32.const 0))))
      (call $next) (local.get $fd))`);
    // Names of four characters from `a` to `p` each, which count.
    const parts = `
      (global $count (mut i32) (i32.const 0))
      (func $next
        (global.set $count (i32.add (global.get $count) (i32.const 1)))
        (i32.store8 (i32.const 260) (i32.add (i32.const 97) (i32.and (global.get $count) (i32.const 15))))
        (i32.store8 (i32.const 261) (i32.add (i32.const 97) (i32.and (i32.shr_u (global.get $count) (i32.const 4)) (i32.const 15))))
        (i32.store8 (i32.const 262) (i32.add (i32.const 97) (i32.and (i32.shr_u (global.get $count) (i32.const 8)) (i32.const 15))))
        (i32.store8 (i32.const 263) (i32.add (i32.const 97) (i32.and (i32.shr_u (global.get $count) (i32.const 12)) (i32.const 15)))))`;
    const count = await said(body, { wasi: ['fd_close'], data: { 256: 'tmp/aaaa' }, parts });
    expect(count % 1000).toBe(99);
    expect(Math.floor(count / 1000)).toBe(10_000);
  });

  test('are open 256 at a time at most, and a number that is free is given again', async () => {
    const opening = `(if (result i32) (i32.eq (call $open ${path} (i32.const 1) (i64.const 66)) (i32.const -1))
      (then (i32.const 1)) (else (i32.const 0)))`;
    const data = { 256: 'tmp/x' };
    expect(await said(untilFault(opening), { data })).toBe(252 * 1000 + 1);
    const again = `
      (local.set $n (i32.const 2000))
      (loop $next
        (local.set $fd (call $open ${path} (i32.const 1) (i64.const 66)))
        (drop (call $fd_close (local.get $fd)))
        (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      (call $say (i64.extend_i32_u (local.get $fd)))`;
    expect(await said(again, { wasi: ['fd_close'], data })).toBe(4);
  });

  test('count for as long as they are open, though they were deleted', async () => {
    const fill = untilFault('(call $write (local.get $fd) (i32.const 0) (i32.const 65536))');
    const body = (between: string) => `
      ${openFile}
      (drop (call $fd_filestat_set_size (local.get $fd) (i64.const 12000000)))
      (drop (call $path_unlink_file (i32.const 3) ${path}))
      ${between} ${openFile} ${fill}`;
    const program = {
      wasi: ['fd_filestat_set_size', 'path_unlink_file', 'fd_close'],
      data: { 256: 'tmp/x' },
    };
    const kept = await said(body(''), program);
    const closed = await said(body('(drop (call $fd_close (local.get $fd)))'), program);
    expect(Math.floor(kept / 1000) * 65_536).toBeLessThan(5 * mib);
    expect(Math.floor(closed / 1000) * 65_536).toBeGreaterThan(15 * mib);
  });

  test('of one task are not there for the next', async () => {
    const look = `(local.set $n (i32.eq (call $open ${path} ${toRead}) (i32.const -1))) ${openFile} ${sayCount}`;
    const program = await loadModule(kind, await ordinary(look, { data: { 256: 'tmp/x' } }));
    for (const _ of [1, 2]) {
      expect(runToEnd(program, new HandTask(null))).toEqual({
        type: 'result',
        value: { json: '1' },
      });
    }
  });
});

describe('a memory that is imported', () => {
  const memory = (limits: string) => `(import "env" "memory" (memory ${limits}))`;
  const growAndSay = `
    (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
    (call $say (i64.extend_i32_u (memory.size)))`;

  test.each([
    ['2', 16 * 8],
    ['2 60000', 16 * 8],
    ['2 5', 5],
  ])('of %s pages may grow to %i', async (limits, pages) => {
    expect(await said(growAndSay, { memory: memory(limits) }, { memoryMb: 8 })).toBe(pages);
  });

  test('is another for each task', async () => {
    const body = `(local.set $n (i32.load (i32.const 4096)))
      (i32.store (i32.const 4096) (i32.const 7)) ${sayCount}`;
    const program = await loadModule(kind, await ordinary(body, { memory: memory('2') }));
    for (const _ of [1, 2]) {
      expect(runToEnd(program, new HandTask(null))).toEqual({
        type: 'result',
        value: { json: '0' },
      });
    }
  });
});

describe('output', () => {
  test('on stdout ends where no result is so large', async () => {
    const body =
      '(loop $next (drop (call $write (i32.const 1) (i32.const 0) (i32.const 65536))) (br $next))';
    const { step } = await run(await ordinary(body));
    expect(step).toMatchObject({ type: 'failure', errorType: 'result_too_large' });
  });

  test('on stderr ends with the order to stop', async () => {
    const body =
      '(loop $next (drop (call $write (i32.const 2) (i32.const 256) (i32.const 1))) (br $next))';
    const { step, task } = await run(await ordinary(body, { data: { 256: 'x' } }), { stopsAt: 50 });
    expect(step).toEqual({ type: 'stopped' });
    expect(task.printed).toBe('x'.repeat(50));
  });
});

describe('the stack', () => {
  const recursion = (between: string) => `(func $deep (param $n i32) (result i32)
    ${between} (i32.add (call $deep (i32.add (local.get $n) (i32.const 1))) (i32.const 1)))`;

  test('overflows: a trap', async () => {
    const module = await ordinary('(drop (call $deep (i32.const 0)))', { parts: recursion('') });
    const { step } = await run(module);
    expect(step).toMatchObject({ errorType: 'wasm_trap', message: 'the stack overflowed' });
  });

  test('overflows within calls of the host: a trap, and the next task finds all as it was', async () => {
    const deep = recursion('(drop (call $write (i32.const 2) (i32.const 256) (i32.const 1)))');
    const module = await ordinary('(drop (call $deep (i32.const 0)))', {
      parts: deep,
      data: { 256: 'x' },
    });
    const { step } = await run(module);
    expect(step).toMatchObject({
      type: 'failure',
      errorType: 'wasm_trap',
      message: expect.stringContaining('the stack overflowed'),
    });
    expect((await run(await ordinaryPrograms.double)).step.type).toBe('result');
  });
});

describe('a program is left', () => {
  /** Catches whatever comes, and tries again. */
  const stubborn = (call: string) => `(loop $again (try (do ${call}) (catch_all)) (br $again))`;

  test('though it catches everything', async () => {
    const body = stubborn('(drop (call $sched_yield))');
    const { step } = await run(await ordinary(body, { wasi: ['sched_yield'] }), { stopsAt: 100 });
    expect(step).toEqual({ type: 'stopped' });
  });

  test('when it exits, though it catches everything', async () => {
    const module = await ordinary(stubborn('(call $proc_exit (i32.const 0))'), {
      wasi: ['proc_exit'],
    });
    const fields = { output: 'text' };
    expect((await run(module, { fields })).step).toEqual({ type: 'result', value: { json: '""' } });
  });

  test('when its module begins with a loop', async () => {
    const parts =
      '(func $first (loop $again (drop (call $sched_yield)) (br $again))) (start $first)';
    const module = await ordinary('', { wasi: ['sched_yield'], parts });
    expect((await run(module, { stopsAt: 10 })).step).toEqual({ type: 'stopped' });
  });

  test('at once if it does not ask, with time for a last state if it does', async () => {
    const ask = '(drop (call $muster_cancelled))';
    const loop = (first: string) => `${first}
      (loop $again
        (global.set $i (i32.add (global.get $i) (i32.const 1)))
        (drop (call $muster_random))
        (br_if $again (i32.lt_u (global.get $i) (i32.const 40))))
      (i32.store (i32.const 512) (i32.const 0x2037))
      (call $muster_checkpoint (i32.const 512) (i32.const 1))
      (drop (call $muster_random))
      unreachable`;
    const program = {
      muster: ['cancelled', 'random', 'checkpoint'],
      parts: '(global $i (mut i32) (i32.const 0))',
    };
    const silent = await run(await called(loop(''), program), { stopsAt: 20 });
    expect(silent.step).toEqual({ type: 'stopped' });
    expect(silent.task.offers).toEqual([]);
    const asking = await run(await called(loop(ask), program), { stopsAt: 20 });
    expect(asking.step).toEqual({ type: 'stopped' });
    expect(asking.task.offers.at(-1)).toMatch(/"state":7}$/);
  });

  test('when it has asked and goes on for too long', async () => {
    let now = 0;
    const slow = new WasmKind({ nowMs: () => (now += 100) });
    const body = '(loop $again (drop (call $muster_cancelled)) (br $again)) (i64.const 0)';
    const program = await loadModule(slow, await called(body, { muster: ['cancelled'] }));
    expect(runToEnd(program, new HandTask(null, { stopsAt: 5 }))).toEqual({ type: 'stopped' });
    expect(now).toBeLessThan(10_000);
  });

  test('a task that is left in the middle spoils nothing for the next in the same program', async () => {
    const body = `
      (global.set $i (i32.add (global.get $i) (i32.const 1)))
      (if (i64.eq (call $parse (local.get $at) (local.get $length)) (i64.const 7))
        (then (loop $again (drop (call $muster_random)) (br $again))))
      (call $number (i64.extend_i32_u (global.get $i)))`;
    const module = await called(body, {
      muster: ['random'],
      parts: '(global $i (mut i32) (i32.const 0))',
    });
    const program = await loadModule(kind, module);
    const results = [1, 1, 7, 1].map((input) =>
      runToEnd(program, new HandTask(input, { stopsAt: input === 7 ? 9 : Infinity })),
    );
    expect(results.map((step) => (step.type === 'result' ? step.value : step.type))).toEqual([
      { json: '1' },
      { json: '2' },
      'stopped',
      // A new instance.
      { json: '1' },
    ]);
  });
});

describe('the end', () => {
  const exit = (code: number) => `(call $proc_exit (i32.const ${code}))`;

  test.each([
    [1, 'exit code 1'],
    [-1, 'exit code -1'],
    [85, 'exit code 85 (run me again), and no state was left in /muster/state'],
  ])('with exit code %i is a failure', async (code, message) => {
    const { step } = await run(await ordinary(exit(code), { wasi: ['proc_exit'] }));
    expect(step).toMatchObject({ type: 'failure', errorType: 'exit_code', message });
  });

  test('with exit code 85 and a state, which need not be closed, is no end', async () => {
    const body = `(local.set $fd (call $open (i32.const 256) (i32.const 12) ${toWrite}))
      (drop (call $write (local.get $fd) (i32.const 288) (i32.const 7)))
      ${exit(85)}`;
    const module = await ordinary(body, {
      wasi: ['proc_exit'],
      data: { 256: 'muster/state', 288: '{\\22a\\22:1}' },
    });
    const { step, task } = await run(module);
    expect(step).toEqual({ type: 'again' });
    expect(task.offers).toEqual(['{"a":1}']);
  });

  test('of a called program by exit is a failure', async () => {
    const module = await called('(call $proc_exit (i32.const 0)) (i64.const 0)', {
      wasi: ['proc_exit'],
    });
    expect((await run(module)).step).toMatchObject({ type: 'failure', errorType: 'exit_code' });
  });

  test('by an abort is not for lack of memory when there was none to grow', async () => {
    const module = await ordinary('unreachable', { memory: '(memory (export "memory") 2 2)' });
    expect((await run(module)).step).toMatchObject({
      errorType: 'wasm_trap',
      message: 'unreachable',
    });
  });

  test('by a signal is a trap', async () => {
    const module = await ordinary('(drop (call $proc_raise (i32.const 6)))', {
      wasi: ['proc_raise'],
    });
    expect((await run(module)).step).toMatchObject({
      errorType: 'wasm_trap',
      message: 'the program raised signal 6',
    });
  });
});

describe('time and chance', () => {
  const now = '(call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 1024))';
  const year = 31_557_600;
  /** Waits so many ns by the monotonic clock. */
  const wait = (ns: string) => `
    (memory.fill (i32.const 2048) (i32.const 0) (i32.const 48))
    (i32.store (i32.const 2064) (i32.const 1))
    (i64.store (i32.const 2072) (i64.const ${ns}))
    (drop (call $poll_oneoff (i32.const 2048) (i32.const 3072) (i32.const 1) (i32.const 8)))`;
  const sayTime = `(drop ${now}) (call $say (i64.div_u (i64.load (i32.const 1024)) (i64.const 1000000000)))`;
  const program = { wasi: ['clock_time_get', 'poll_oneoff'] };

  test('begin in the year 2000, and a sleep takes no time', async () => {
    const start = await said(sayTime, program);
    expect(start).toBe(Date.UTC(2000, 0, 1) / 1000);
    const startedAt = performance.now();
    expect(await said(`${wait(`${year}000000000`)} ${sayTime}`, program)).toBe(start + year);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('a sleep for ever does not make the clock go round', async () => {
    const waits = wait('0x7fffffffffffffff').repeat(3) + wait('0xffffffffffffffff');
    expect(await said(`${waits} ${sayTime}`, program)).toBe(Date.UTC(2000, 0, 1) / 1000);
  });

  test('nothing of the environment of the process is told', async () => {
    process.env['MUSTER_SECRET_OF_TEST'] = 'secret';
    const body = `
      (drop (call $environ_sizes_get (i32.const 16) (i32.const 20)))
      (drop (call $environ_get (i32.const 8192) (i32.const 4096)))
      (drop (call $write (i32.const 1) (i32.const 4096) (i32.load (i32.const 20))))`;
    const module = await ordinary(body, { wasi: ['environ_sizes_get', 'environ_get'] });
    const fields = { output: 'text', env: { MODE: 'x' } };
    const { step } = await run(module, { fields });
    delete process.env['MUSTER_SECRET_OF_TEST'];
    const texts = [
      'MODE=x',
      'MUSTER_JOB_ID=job-1',
      'MUSTER_TASK_ID=job-1-0',
      'MUSTER_INDEX=0',
      'MUSTER_ATTEMPT=1',
    ];
    const json = JSON.stringify(texts.map((text) => `${text}\0`).join(''));
    expect(step).toEqual({ type: 'result', value: { json } });
  });

  test('two runs of a task give the same bytes, and another task others', async () => {
    const body = `
      (drop (call $random_get (i32.const 4096) (i32.const 37)))
      (drop (call $path_filestat_get (i32.const 3) (i32.const 0) (i32.const 256) (i32.const 6) (i32.const 4160)))
      (drop (call $fd_readdir (i32.const 3) (i32.const 4224) (i32.const 400) (i64.const 0) (i32.const 8)))
      (drop (call $write (i32.const 1) (i32.const 4096) (i32.const 600)))`;
    const module = await ordinary(body, {
      wasi: ['random_get', 'path_filestat_get', 'fd_readdir'],
      data: { 256: 'muster' },
    });
    const fields = { output: 'bytes' };
    const first = await run(module, { fields });
    // In between, others have files and random numbers.
    await run(await ordinaryPrograms.sum);
    expect((await run(module, { fields })).step).toEqual(first.step);
    const other = await run(module, { fields, taskId: 'job-1-1' });
    expect(other.step.type).toBe('result');
    expect(other.step).not.toEqual(first.step);
  });
});

describe('the checkpoint of a program in steps', () => {
  const taken = imageOfSum();
  async function imageOfSum(): Promise<string> {
    const { task } = await run(await steppedPrograms.sum, { isDue: true });
    return String(task.offers[50]);
  }
  const resume = async (change: (image: Record<string, unknown>) => object, memoryMb = 64) => {
    const image = JSON.parse(await taken) as Record<string, unknown>;
    return run(await steppedPrograms.sum, { stateJson: JSON.stringify(change(image)), memoryMb });
  };

  test.each<[string, (image: Record<string, unknown>) => object]>([
    ['more memory than it may have', (image) => ({ ...image, pages: 60_000 })],
    ['less than its module begins with', (image) => ({ ...image, pages: 1 })],
    ['half a page', (image) => ({ ...image, pages: 5.5 })],
    ['fewer variables', (image) => ({ ...image, globals: 'AAAA' })],
    ['no memory', (image) => ({ ...image, blocks: '' })],
    ['what is no deflated memory', (image) => ({ ...image, blocks: 'AAAAAAAA' })],
    ['a time that is none', (image) => ({ ...image, passed_ns: '-1' })],
    ['random numbers that are none', (image) => ({ ...image, random: [1, 2] })],
    ['nothing', () => ({})],
    ['far more than it says', (image) => ({ ...image, blocks: bomb })],
  ])('is refused with %s', async (_name, change) => {
    const startedAt = performance.now();
    expect((await resume(change)).step).toMatchObject({ errorType: 'checkpoint_unreadable' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('is taken as it is', async () => {
    expect((await resume((image) => image)).step.type).toBe('result');
  });

  test('is not offered while files are open, and says so once', async () => {
    const parts = '(global $i (mut i32) (i32.const 0))';
    const module = await stepped(
      {
        begin: '(drop (call $open (i32.const 256) (i32.const 3) (i32.const 2) (i64.const 2)))',
        step: '(global.set $i (i32.add (global.get $i) (i32.const 1))) (i32.eq (global.get $i) (i32.const 9))',
        result: '(call $number (i64.extend_i32_u (global.get $i)))',
      },
      { parts, data: { 256: 'tmp' } },
    );
    const { step, task } = await run(module, { isDue: true });
    expect(step).toEqual({ type: 'result', value: { json: '9' } });
    expect(task.offers).toEqual([]);
    expect(task.printed).toBe(
      'muster: no checkpoint of this program: it has files open between two steps\n',
    );
  });

  test('cannot lack files, for there are none', async () => {
    const module = await stepped(
      {
        begin:
          '(global.set $n (call $open (i32.const 256) (i32.const 5) (i32.const 1) (i64.const 66)))',
        step: '(i32.const 1)',
        result: '(call $number (i64.extend_i32_u (i32.eq (global.get $n) (i32.const -1))))',
      },
      { parts: '(global $n (mut i32) (i32.const 0))', data: { 256: 'tmp/x' } },
    );
    expect((await run(module)).step).toEqual({ type: 'result', value: { json: '1' } });
  });

  test('of more than a state may have is not offered', async () => {
    const { step, task } = await run(await steppedPrograms.sum, {
      isDue: true,
      stateLimitBytes: 100,
    });
    expect(step.type).toBe('result');
    expect(task.offers).toEqual([]);
    expect(task.printed).toContain('its memory does not go into 100 bytes');
  });

  test('a variable that no checkpoint can keep keeps a program from being taken', async () => {
    const module = await assemble(`(module (memory (export "memory") 1)
      (global (mut externref) (ref.null extern))
      (func (export "muster_alloc") (param i32) (result i32) (i32.const 0))
      (func (export "muster_begin") (param i32 i32))
      (func (export "muster_step") (result i32) (i32.const 1))
      (func (export "muster_result") (result i64) (i64.const 0)))`);
    await expect(loadModule(kind, module)).rejects.toThrow(
      'externref, which no checkpoint can keep',
    );
  });
});
