// A command that does one thing to one job or worker, and says what came of it.

import type { Command, Option } from 'commander';
import type { JobSummary, MusterClient, WorkerResource } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, WORKER_HANDLE, withJob, withWorker } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';

export interface Act<Answer, Flags extends ClientFlags = ClientFlags> {
  readonly name: string;
  readonly description: string;
  readonly option?: Option;
  /** What `--json` prints; by default the job or the worker. */
  readonly prints?: string;
  readonly act: (client: MusterClient, id: string, flags: Flags) => Promise<Answer>;
  readonly told: (answer: Answer) => string;
  /** What of the answer `--json` prints; all of it by default. */
  readonly printed?: (answer: Answer) => unknown;
}

export function declareJobAct<Answer = JobSummary>(
  program: Command,
  context: Context,
  act: Act<Answer>,
): void {
  declareAct(program, context, act, 'job', JOB_HANDLE, withJob);
}

export function declareWorkerAct<Answer = WorkerResource, Flags extends ClientFlags = ClientFlags>(
  program: Command,
  context: Context,
  act: Act<Answer, Flags>,
): void {
  declareAct(program, context, act, 'worker', WORKER_HANDLE, withWorker);
}

function declareAct<Answer, Flags extends ClientFlags>(
  program: Command,
  { terminal }: Context,
  {
    name,
    description,
    option,
    prints,
    act,
    told,
    printed = (answer) => answer,
  }: Act<Answer, Flags>,
  what: 'job' | 'worker',
  handleText: string,
  withOne: <T>(
    client: MusterClient,
    handle: string,
    call: (id: string) => Promise<T>,
  ) => Promise<T>,
): void {
  const command = program.command(name).description(description).argument(`<${what}>`, handleText);
  if (option !== undefined) command.addOption(option);
  command
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', prints ?? `print the ${what} as the coordinator answers it`)
    .action(async (handle: string, flags: Flags) => {
      const client = await openClient(flags);
      const answer = await withOne(client, handle, (id) => act(client, id, flags));
      if (flags.json) terminal.json(printed(answer));
      else terminal.note(told(answer));
    });
}
