// `muster retry JOB`: the failed tasks of a job run again, with a fresh budget of attempts.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, namedText, withJob } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';
import { retryNote } from '../text/wording.ts';

export function declareRetry(program: Command, context: Context): void {
  program
    .command('retry')
    .description(
      'run the failed tasks of a job again, with the program that was submitted; ' +
        'a changed one on their inputs: submit --failed-of',
    )
    .argument('<job>', JOB_HANDLE)
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the job as the coordinator answers it')
    .action(async (handle: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const job = await withJob(client, handle, (id) => client.retry(id));
      if (flags.json) return context.terminal.json(job);
      const { terminal } = context;
      terminal.note(`${namedText(job)} runs again; follow it:  muster results ${job.id} --follow`);
      for (const line of retryNote(job.id)) terminal.note(terminal.noteColors.dim(line));
    });
}
