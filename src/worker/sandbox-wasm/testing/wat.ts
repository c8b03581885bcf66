// Modules for tests, from text: what most programs need is here, so that a test shows what is its own.

import wabt from 'wabt';

const ready = wabt();
/** Some of them the types of the package do not name. */
const features = {
  exceptions: true,
  mutable_globals: true,
  threads: true,
  bulk_memory: true,
  multi_memory: true,
  memory64: true,
  reference_types: true,
};

/** Assembles the text format. What the tool does not know yet is left to the engine to refuse. */
export async function assemble(text: string): Promise<Uint8Array> {
  const module = (await ready).parseWat('test.wat', text, features);
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

/** Where the parts of a program find room: below are places that the functions here use. */
export const buffer = 4096;

const wasi = (name: string, parameters: string, results = '(result i32)') =>
  `(import "wasi_snapshot_preview1" "${name}" (func $${name} (param ${parameters}) ${results}))`;

const wasiImports: Readonly<Record<string, string>> = {
  fd_read: wasi('fd_read', 'i32 i32 i32 i32'),
  fd_write: wasi('fd_write', 'i32 i32 i32 i32'),
  fd_close: wasi('fd_close', 'i32'),
  fd_seek: wasi('fd_seek', 'i32 i64 i32 i32'),
  fd_tell: wasi('fd_tell', 'i32 i32'),
  fd_pread: wasi('fd_pread', 'i32 i32 i32 i64 i32'),
  fd_pwrite: wasi('fd_pwrite', 'i32 i32 i32 i64 i32'),
  fd_allocate: wasi('fd_allocate', 'i32 i64 i64'),
  fd_renumber: wasi('fd_renumber', 'i32 i32'),
  fd_readdir: wasi('fd_readdir', 'i32 i32 i32 i64 i32'),
  fd_filestat_get: wasi('fd_filestat_get', 'i32 i32'),
  fd_filestat_set_size: wasi('fd_filestat_set_size', 'i32 i64'),
  fd_fdstat_get: wasi('fd_fdstat_get', 'i32 i32'),
  fd_prestat_get: wasi('fd_prestat_get', 'i32 i32'),
  fd_prestat_dir_name: wasi('fd_prestat_dir_name', 'i32 i32 i32'),
  path_open: wasi('path_open', 'i32 i32 i32 i32 i32 i64 i64 i32 i32'),
  path_rename: wasi('path_rename', 'i32 i32 i32 i32 i32 i32'),
  path_create_directory: wasi('path_create_directory', 'i32 i32 i32'),
  path_unlink_file: wasi('path_unlink_file', 'i32 i32 i32'),
  path_remove_directory: wasi('path_remove_directory', 'i32 i32 i32'),
  path_filestat_get: wasi('path_filestat_get', 'i32 i32 i32 i32 i32'),
  path_symlink: wasi('path_symlink', 'i32 i32 i32 i32 i32'),
  path_link: wasi('path_link', 'i32 i32 i32 i32 i32 i32 i32'),
  args_sizes_get: wasi('args_sizes_get', 'i32 i32'),
  args_get: wasi('args_get', 'i32 i32'),
  environ_sizes_get: wasi('environ_sizes_get', 'i32 i32'),
  environ_get: wasi('environ_get', 'i32 i32'),
  clock_time_get: wasi('clock_time_get', 'i32 i64 i32'),
  poll_oneoff: wasi('poll_oneoff', 'i32 i32 i32 i32'),
  random_get: wasi('random_get', 'i32 i32'),
  sched_yield: '(import "wasi_snapshot_preview1" "sched_yield" (func $sched_yield (result i32)))',
  sock_send: wasi('sock_send', 'i32 i32 i32 i32 i32'),
  sock_accept: wasi('sock_accept', 'i32 i32 i32'),
  proc_raise: wasi('proc_raise', 'i32'),
  proc_exit: wasi('proc_exit', 'i32', ''),
};

const muster = (name: string, type: string) =>
  `(import "muster" "${name}" (func $muster_${name} ${type}))`;

const musterImports: Readonly<Record<string, string>> = {
  progress: muster('progress', '(param f64)'),
  cancelled: muster('cancelled', '(result i32)'),
  checkpoint_due: muster('checkpoint_due', '(result i32)'),
  checkpoint: muster('checkpoint', '(param i32 i32)'),
  state_length: muster('state_length', '(result i32)'),
  state_read: muster('state_read', '(param i32)'),
  shared_length: muster('shared_length', '(result i32)'),
  shared_read: muster('shared_read', '(param i32)'),
  random: muster('random', '(result f64)'),
  log: muster('log', '(param i32 i32)'),
  fail: muster('fail', '(param i32 i32)'),
};

/** `$parse` reads the digits among some bytes; `$digits` writes a number, `$digits_at` and `$digits_length` tell where. */
const numbers = `
  (global $digits_at (mut i32) (i32.const 0))
  (global $digits_length (mut i32) (i32.const 0))
  (func $parse (param $at i32) (param $length i32) (result i64)
    (local $value i64) (local $end i32) (local $byte i32)
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $byte (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)))
      (if (i32.lt_u (local.get $byte) (i32.const 10)) (then
        (local.set $value (i64.add (i64.mul (local.get $value) (i64.const 10))
          (i64.extend_i32_u (local.get $byte))))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $next)))
    (local.get $value))
  (func $digits (param $value i64)
    (local $at i32)
    (local.set $at (i32.const 128))
    (loop $next
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (i32.store8 (local.get $at) (i32.add (i32.const 48)
        (i32.wrap_i64 (i64.rem_u (local.get $value) (i64.const 10)))))
      (local.set $value (i64.div_u (local.get $value) (i64.const 10)))
      (br_if $next (i64.ne (local.get $value) (i64.const 0))))
    (global.set $digits_at (local.get $at))
    (global.set $digits_length (i32.sub (i32.const 128) (local.get $at))))`;

/** `$write`, `$read` (until the end), `$open` of a path below the root, `$say` of a number on a line. */
const streams = `
  (func $write (param $fd i32) (param $at i32) (param $length i32) (result i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $length))
    (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)))
  (func $read (param $fd i32) (param $at i32) (param $room i32) (result i32)
    (local $all i32)
    (loop $next
      (i32.store (i32.const 0) (i32.add (local.get $at) (local.get $all)))
      (i32.store (i32.const 4) (i32.sub (local.get $room) (local.get $all)))
      (if (i32.ne (call $fd_read (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)) (i32.const 0))
        (then (return (local.get $all))))
      (local.set $all (i32.add (local.get $all) (i32.load (i32.const 8))))
      (br_if $next (i32.ne (i32.load (i32.const 8)) (i32.const 0))))
    (local.get $all))
  (func $open (param $at i32) (param $length i32) (param $flags i32) (param $rights i64) (result i32)
    (i32.store (i32.const 12) (i32.const -1))
    (drop (call $path_open (i32.const 3) (i32.const 0) (local.get $at) (local.get $length)
      (local.get $flags) (local.get $rights) (local.get $rights) (i32.const 0) (i32.const 12)))
    (i32.load (i32.const 12)))
  (func $say (param $value i64)
    (call $digits (local.get $value))
    (drop (call $write (i32.const 1) (global.get $digits_at) (global.get $digits_length))))`;

const inPrelude = ['fd_read', 'fd_write', 'path_open'];

export interface WatProgram {
  /** Names of WASI, and of `muster`, that it imports besides. */
  readonly wasi?: readonly string[];
  readonly muster?: readonly string[];
  /** Texts, by their places: from 256 on. */
  readonly data?: Readonly<Record<number, string>>;
  /** Functions and global variables of its own. */
  readonly parts?: string;
  readonly pages?: number;
  /** Its memory, if it is another. */
  readonly memory?: string;
}

function moduleOf(own: string, program: WatProgram): string {
  const { data = {}, parts = '', pages = 2 } = program;
  const imports = [
    ...new Set([...inPrelude, ...(program.wasi ?? [])].map((name) => wasiImports[name])),
    ...(program.muster ?? []).map((name) => musterImports[name]),
  ];
  const texts = Object.entries(data).map(([at, text]) => `(data (i32.const ${at}) "${text}")`);
  const memory = program.memory ?? `(memory (export "memory") ${pages})`;
  return ['(module', ...imports, memory, ...texts, numbers, streams, parts, own, ')'].join('\n');
}

/** An ordinary program. `body`: that of `_start`, which may use the locals `$n`, `$fd` and `$x`. */
export function ordinary(body: string, program: WatProgram = {}): Promise<Uint8Array> {
  const own = `(func (export "_start") (local $n i32) (local $fd i32) (local $x i64) ${body})`;
  return assemble(moduleOf(own, program));
}

const alloc = `(func (export "muster_alloc") (param i32) (result i32) (i32.const ${buffer}))`;
const packed = `
  (func $packed (param $at i32) (param $length i32) (result i64)
    (i64.or (i64.shl (i64.extend_i32_u (local.get $at)) (i64.const 32))
      (i64.extend_i32_u (local.get $length))))
  (func $number (param $value i64) (result i64)
    (call $digits (local.get $value))
    (call $packed (global.get $digits_at) (global.get $digits_length)))`;

/** A program of calls. `body`: that of `muster_run`, with `$at` and `$length` of the input. */
export function called(body: string, program: WatProgram = {}): Promise<Uint8Array> {
  const own = `${alloc}${packed}
    (func (export "muster_run") (param $at i32) (param $length i32) (result i64)
      (local $n i32) (local $x i64) ${body})`;
  return assemble(moduleOf(own, program));
}

/** A program in steps: the bodies of its three functions. */
export function stepped(
  {
    begin,
    step,
    result,
  }: { readonly begin: string; readonly step: string; readonly result: string },
  program: WatProgram = {},
): Promise<Uint8Array> {
  const own = `${alloc}${packed}
    (func (export "muster_begin") (param $at i32) (param $length i32) ${begin})
    (func (export "muster_step") (result i32) ${step})
    (func (export "muster_result") (result i64) ${result})`;
  return assemble(moduleOf(own, program));
}

/** Reads the input of an ordinary program into the buffer: its length is in `$n` then. */
export const readInput = `(local.set $n (call $read (i32.const 0) (i32.const ${buffer}) (i32.const 60000)))`;

/** Rights and flags of `$open`. */
export const toRead = '(i32.const 0) (i64.const 2)';
export const toWrite = '(i32.const 9) (i64.const 64)';
