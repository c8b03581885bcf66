// A module that somebody gives to the lab runs inside of this process, and may end it or fail where nobody waits for
// it. Then that is said of it: else the command would end without a word, or with a stack.

import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../text/terminal.ts';

/** Runs what loads or plays the modules `files`; none: as it is. Rejects with what became of it instead. */
export async function withOwnModules<T>(
  files: readonly string[],
  terminal: Pick<Terminal, 'note' | 'status'>,
  run: () => Promise<T>,
): Promise<T> {
  if (files.length === 0) return run();
  const whose = files.join(', ');
  const { promise: mishap, reject } = Promise.withResolvers<never>();
  const fail = (why: string, cause?: unknown) =>
    reject(new CommandFailure('usage', `The scheduler ${whose} ${why}`, [], cause));
  let isOver = false;
  const onUncaught = (error: unknown) => {
    const why = `has failed where nobody waits for it: ${error instanceof Error ? error.message : String(error)}`;
    if (!isOver) return fail(why, error);
    terminal.note(`muster: The scheduler ${whose} ${why}`);
    process.exit(exitCodes.usage.code);
  };
  // Nothing is left to do, and it is not done: something in the module is waited for that never comes.
  const onIdle = () => fail('waits for something that never comes (at its top level).');
  const onExit = () => {
    terminal.status('');
    terminal.note(
      `muster: The scheduler ${whose} has ended the program (process.exit), which it may not do.`,
    );
    process.exitCode = exitCodes.usage.code;
  };
  process.on('uncaughtException', onUncaught);
  process.on('beforeExit', onIdle);
  process.on('exit', onExit);
  try {
    return await Promise.race([run(), mishap]);
  } finally {
    // What it has begun goes on: errors are listened for until the end.
    isOver = true;
    process.off('beforeExit', onIdle);
    process.off('exit', onExit);
  }
}
