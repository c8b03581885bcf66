// One program for each thing that a task does, for each of the interfaces: what is the same for all kinds of programs.

import { buffer, called, ordinary, readInput, stepped, toRead, toWrite } from './wat.ts';

/** What a program of an interface does, by the names of the cases. */
export interface SameForAll {
  /** Twice the number that it is given. */
  readonly double: Promise<Uint8Array>;
  /** Says why, and fails. */
  readonly fail: Promise<Uint8Array>;
  /** Traps. */
  readonly trap: Promise<Uint8Array>;
  /** Prints a line. */
  readonly print: Promise<Uint8Array>;
  /** Reports that it is half done. */
  readonly progress: Promise<Uint8Array>;
  /** Adds up a hundred random numbers, and offers a state after each. */
  readonly sum: Promise<Uint8Array>;
  /** Never ends, and calls the host again and again. */
  readonly endless: Promise<Uint8Array>;
  /** Takes memory until there is no more, and aborts. */
  readonly greedy: Promise<Uint8Array>;
  /** Gives back what it is given. */
  readonly echo: Promise<Uint8Array>;
  /** Gives back the shared value. */
  readonly shared: Promise<Uint8Array>;
  /** A text of a million characters. */
  readonly long: Promise<Uint8Array>;
}

const twice = (at: string, length: string) =>
  `(i64.mul (i64.const 2) (call $parse ${at} ${length}))`;
const doubled = twice(`(i32.const ${buffer})`, '(local.get $n)');
const given = '(local.get $at) (local.get $length)';

const growAll = `
  (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
  unreachable`;

/** A quoted text of a million characters at 65536. */
const million = 1_000_000;
const fillLong = `
  (memory.fill (i32.const 65536) (i32.const 97) (i32.const ${million + 2}))
  (i32.store8 (i32.const 65536) (i32.const 34))
  (i32.store8 (i32.const ${65_537 + million}) (i32.const 34))`;

const state = '(i32.const 256) (i32.const 12)';
const otherState = '(i32.const 288) (i32.const 10)';
const paths = {
  256: 'muster/state',
  288: 'tmp/unready',
  320: 'muster/progress',
  352: 'muster/shared',
};

/** Adds a random number below 1000 to `$sum`, which is of 64 bits; `$i` counts. */
const addRandom = (random: string) => `
  (global.set $sum (i64.add (global.get $sum) ${random}))
  (global.set $i (i32.add (global.get $i) (i32.const 1)))`;
const counters = '(global $i (mut i32) (i32.const 0)) (global $sum (mut i64) (i64.const 0))';

export const ordinaryPrograms: SameForAll = {
  double: ordinary(`${readInput} (call $say ${doubled})`),
  fail: ordinary(
    `(drop (call $write (i32.const 2) (i32.const 256) (i32.const 20)))
     (call $proc_exit (i32.const 3))`,
    { wasi: ['proc_exit'], data: { 256: 'first\\nit is broken\\n ' } },
  ),
  trap: ordinary('(i32.store (i32.const -1) (i32.const 0))'),
  print: ordinary(
    `(drop (call $write (i32.const 2) (i32.const 256) (i32.const 6)))
     (call $say (i64.const 1))`,
    { data: { 256: 'h\\c3\\a9 a\\n' } },
  ),
  progress: ordinary(
    `(local.set $fd (call $open (i32.const 320) (i32.const 15) ${toWrite}))
     (drop (call $write (local.get $fd) (i32.const 400) (i32.const 8)))
     (drop (call $fd_close (local.get $fd)))
     (call $say (i64.const 1))`,
    { wasi: ['fd_close'], data: { ...paths, 400: '0.5\\nhalf' } },
  ),
  // The state is the counter and the sum, 12 bytes that are no text.
  sum: ordinary(
    `(local.set $fd (call $open ${state} ${toRead}))
     (if (i32.ge_s (local.get $fd) (i32.const 0)) (then
       (drop (call $read (local.get $fd) (i32.const 512) (i32.const 12)))
       (drop (call $fd_close (local.get $fd)))
       (global.set $i (i32.load (i32.const 512)))
       (global.set $sum (i64.load (i32.const 516)))))
     (block $done (loop $next
       (br_if $done (i32.ge_u (global.get $i) (i32.const 100)))
       (drop (call $random_get (i32.const 600) (i32.const 4)))
       ${addRandom('(i64.extend_i32_u (i32.rem_u (i32.load (i32.const 600)) (i32.const 1000)))')}
       (i32.store (i32.const 512) (global.get $i))
       (i64.store (i32.const 516) (global.get $sum))
       (local.set $fd (call $open ${otherState} ${toWrite}))
       (drop (call $write (local.get $fd) (i32.const 512) (i32.const 12)))
       (drop (call $fd_close (local.get $fd)))
       (drop (call $path_rename (i32.const 3) ${otherState} (i32.const 3) ${state}))
       (br $next)))
     (call $say (global.get $sum))`,
    { wasi: ['fd_close', 'path_rename', 'random_get'], data: paths, parts: counters },
  ),
  endless: ordinary('(loop $again (drop (call $sched_yield)) (br $again))', {
    wasi: ['sched_yield'],
  }),
  greedy: ordinary(growAll),
  echo: ordinary(
    `${readInput} (drop (call $write (i32.const 1) (i32.const ${buffer}) (local.get $n)))`,
  ),
  shared: ordinary(
    `(local.set $fd (call $open (i32.const 352) (i32.const 13) ${toRead}))
     (local.set $n (call $read (local.get $fd) (i32.const ${buffer}) (i32.const 1000)))
     (drop (call $write (i32.const 1) (i32.const ${buffer}) (local.get $n)))`,
    { data: paths },
  ),
  long: ordinary(
    `${fillLong} (drop (call $write (i32.const 1) (i32.const 65536) (i32.const ${million + 2})))`,
    { pages: 20 },
  ),
};

export const calledPrograms: SameForAll = {
  double: called(`(call $number ${twice('(local.get $at)', '(local.get $length)')})`),
  fail: called('(call $muster_fail (i32.const 256) (i32.const 12)) (i64.const 0)', {
    muster: ['fail'],
    data: { 256: 'it is broken' },
  }),
  trap: called('(i32.store (i32.const -1) (i32.const 0)) (i64.const 0)'),
  print: called('(call $muster_log (i32.const 256) (i32.const 5)) (call $number (i64.const 1))', {
    muster: ['log'],
    data: { 256: 'h\\c3\\a9 a' },
  }),
  progress: called('(call $muster_progress (f64.const 0.5)) (call $number (i64.const 1))', {
    muster: ['progress'],
  }),
  sum: called(
    `(global.set $i (i32.const 0))
     (global.set $sum (i64.const 0))
     (if (i32.eq (call $muster_state_length) (i32.const 12)) (then
       (call $muster_state_read (i32.const 512))
       (global.set $i (i32.load (i32.const 512)))
       (global.set $sum (i64.load (i32.const 516)))))
     (block $done (loop $next
       (br_if $done (i32.ge_u (global.get $i) (i32.const 100)))
       ${addRandom('(i64.trunc_f64_u (f64.mul (call $muster_random) (f64.const 1000)))')}
       (i32.store (i32.const 512) (global.get $i))
       (i64.store (i32.const 516) (global.get $sum))
       (call $muster_checkpoint (i32.const 512) (i32.const 12))
       (br $next)))
     (call $number (global.get $sum))`,
    { muster: ['random', 'checkpoint', 'state_length', 'state_read'], parts: counters },
  ),
  endless: called('(loop $again (drop (call $muster_random)) (br $again)) (i64.const 0)', {
    muster: ['random'],
  }),
  greedy: called(growAll),
  echo: called(`(call $packed ${given})`),
  shared: called(
    `(call $muster_shared_read (i32.const ${buffer}))
     (call $packed (i32.const ${buffer}) (call $muster_shared_length))`,
    { muster: ['shared_length', 'shared_read'] },
  ),
  long: called(`${fillLong} (call $packed (i32.const 65536) (i32.const ${million + 2}))`, {
    pages: 20,
  }),
};

const done = '(i32.const 1)';
const keepInput = `
  (global.set $at (local.get $at))
  (global.set $length (local.get $length))`;
const input = '(global $at (mut i32) (i32.const 0)) (global $length (mut i32) (i32.const 0))';
const kept = '(global.get $at) (global.get $length)';

/** For those that do all in their only step. */
function once(step: string, result: string, program: Parameters<typeof stepped>[1] = {}) {
  const parts = `${input} ${program.parts ?? ''}`;
  return stepped({ begin: keepInput, step: `${step} ${done}`, result }, { ...program, parts });
}

export const steppedPrograms: SameForAll = {
  double: once('', `(call $number (i64.mul (i64.const 2) (call $parse ${kept})))`),
  fail: once('(call $muster_fail (i32.const 256) (i32.const 12))', '(i64.const 0)', {
    muster: ['fail'],
    data: { 256: 'it is broken' },
  }),
  trap: once('(i32.store (i32.const -1) (i32.const 0))', '(i64.const 0)'),
  print: once('(call $muster_log (i32.const 256) (i32.const 5))', '(call $number (i64.const 1))', {
    muster: ['log'],
    data: { 256: 'h\\c3\\a9 a' },
  }),
  progress: once('(call $muster_progress (f64.const 0.5))', '(call $number (i64.const 1))', {
    muster: ['progress'],
  }),
  // It has not a line about checkpoints. What it has counted is in variables, in new memory, and in random numbers.
  sum: stepped(
    {
      begin: '(drop (memory.grow (i32.const 3)))',
      step: `
        ${addRandom('(i64.trunc_f64_u (f64.mul (call $muster_random) (f64.const 1000)))')}
        (i64.store (i32.const 200000) (global.get $sum))
        (i32.eq (global.get $i) (i32.const 100))`,
      result: '(call $number (i64.load (i32.const 200000)))',
    },
    { muster: ['random'], parts: counters },
  ),
  endless: stepped(
    { begin: '', step: '(drop (call $muster_random)) (i32.const 0)', result: '(i64.const 0)' },
    { muster: ['random'] },
  ),
  greedy: once(growAll, '(i64.const 0)'),
  echo: once('', `(call $packed ${kept})`),
  shared: once(
    `(call $muster_shared_read (i32.const ${buffer}))`,
    `(call $packed (i32.const ${buffer}) (call $muster_shared_length))`,
    { muster: ['shared_length', 'shared_read'] },
  ),
  long: once(fillLong, `(call $packed (i32.const 65536) (i32.const ${million + 2}))`, {
    pages: 20,
  }),
};
