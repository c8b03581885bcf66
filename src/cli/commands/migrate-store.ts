// `muster migrate-store FROM TO`: a whole database goes from a file to PostgreSQL, or back.

import type { Command } from 'commander';
import type { MoveProgress } from '../../store/move/move.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import type { Moved } from '../process/store-move.ts';
import { keepFilesPrivate } from '../process/private-files.ts';
import { storeAddress } from '../settings/flag-values.ts';
import type { Terminal } from '../text/terminal.ts';

interface Flags {
  readonly json?: boolean;
}

export function declareMigrateStore(program: Command, context: Context): void {
  program
    .command('migrate-store')
    .description(
      'move a whole database from a file to PostgreSQL, or back, and compare both; broken off, it goes on when it is ' +
        'run again',
    )
    .argument(
      '<from>',
      'sqlite:PATH or postgres://USER@HOST/DATABASE; it stays as it is',
      storeAddress,
    )
    .argument('<to>', 'the same, with nothing there yet', storeAddress)
    .option(
      '--json',
      'print {from, to, resumed, rows, rows_before, bytes, seconds, rows_per_second, compare_seconds, ' +
        'tables: [{table, rows, checksum}]}',
    )
    .action((from: string, to: string, flags: Flags) => migrateStore({ from, to }, flags, context));
}

async function migrateStore(
  given: { readonly from: string; readonly to: string },
  { json = false }: Flags,
  { terminal, folder }: Context,
): Promise<void> {
  keepFilesPrivate();
  const [{ movePlaces, moveStore }, { moveLine, moveReport }, { interruption }] = await Promise.all(
    [
      import('../process/store-move.ts'),
      import('../text/move-text.ts'),
      import('../process/interruption.ts'),
    ],
  );
  const places = movePlaces(given.from, given.to, folder);
  const signal = interruption();
  const show = statusOf(terminal, moveLine);
  try {
    const moved = await moveStore(places, {
      note: (sentence) => terminal.note(sentence),
      tell: (progress) => {
        signal.throwIfAborted();
        show(progress);
      },
    });
    terminal.status('');
    if (json) return terminal.json(outcomeOf(moved));
    for (const line of moveReport(moved)) terminal.print(line);
    terminal.note(`${moved.from} was left as it is. From now on work on one of the two only.`);
    terminal.note(terminal.noteColors.dim(`start it:  muster serve --store '${moved.to}'`));
  } catch (error) {
    terminal.status('');
    if (signal.aborted) throw brokenOff(error);
    throw explained(error);
  }
}

function outcomeOf(moved: Moved): unknown {
  const { from, to, isResumed, rows, resumedRows, bytes, copyMs, compareMs, tables } = moved;
  const seconds = copyMs / 1_000;
  return {
    from,
    to,
    resumed: isResumed,
    rows,
    rows_before: resumedRows,
    bytes,
    seconds,
    rows_per_second: Math.round((rows - resumedRows) / Math.max(seconds, 0.001)),
    compare_seconds: compareMs / 1_000,
    tables,
  };
}

const redrawMs = 100;

function statusOf(
  terminal: Terminal,
  line: (progress: MoveProgress, ms: number) => string,
): (progress: MoveProgress) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  let begunAt = performance.now();
  let last: MoveProgress['phase'] = 'looking';
  return (progress) => {
    const now = performance.now();
    if (progress.phase !== last) begunAt = now;
    last = progress.phase;
    if (!terminal.isInteractive || now - shownAt < redrawMs) return;
    shownAt = now;
    terminal.status(line(progress, now - begunAt));
  };
}

function brokenOff(cause: unknown): CommandFailure {
  return new CommandFailure(
    'interrupted',
    'The move was broken off.',
    [
      'Run the command again: it goes on where it was. Until then nobody can work on what is there.',
    ],
    cause,
  );
}

function explained(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  if (code === 'store_occupied') return new CommandFailure('usage', message, [], error);
  if (code === 'value_damaged') return new CommandFailure('jobFailed', message, [], error);
  return error;
}
