// All commands as one tree. Declaring them is cheap: a command loads what it needs only when it runs.

import { Command } from 'commander';
import { declareApprove } from './commands/approve.ts';
import { declareAudit } from './commands/audit.ts';
import { declareBackup } from './commands/backup.ts';
import { declareBench } from './commands/bench.ts';
import { declareCancel } from './commands/cancel.ts';
import { declareCluster } from './commands/cluster.ts';
import { declareCompare } from './commands/compare.ts';
import { declareCompletion } from './commands/completion.ts';
import { declareDelete } from './commands/delete.ts';
import { declareDeregister } from './commands/deregister.ts';
import { declareDoctor } from './commands/doctor.ts';
import { declareDrain } from './commands/drain.ts';
import { declareErrors } from './commands/errors.ts';
import { declareEvents } from './commands/events.ts';
import { declareExplain } from './commands/explain.ts';
import { declareExport } from './commands/export.ts';
import { declareHold } from './commands/hold.ts';
import { declareJob } from './commands/job.ts';
import { declareJobs } from './commands/jobs.ts';
import { declareJoin } from './commands/join.ts';
import { declareMetrics } from './commands/metrics.ts';
import { declareMigrateStore } from './commands/migrate-store.ts';
import { declareQuota } from './commands/quota.ts';
import { declareRelease } from './commands/release.ts';
import { declareRename } from './commands/rename.ts';
import { declareRestore } from './commands/restore.ts';
import { declareResults } from './commands/results.ts';
import { declareResume } from './commands/resume.ts';
import { declareRetry } from './commands/retry.ts';
import { declareScheduler } from './commands/scheduler.ts';
import { declareServe } from './commands/serve.ts';
import { declareSimulate } from './commands/simulate.ts';
import { declareStart } from './commands/start.ts';
import { declareStats } from './commands/stats.ts';
import { declareSubmit } from './commands/submit.ts';
import { declareTask } from './commands/task.ts';
import { declareTasks } from './commands/tasks.ts';
import { declareToken } from './commands/token.ts';
import { declareTune } from './commands/tune.ts';
import { declareTry } from './commands/try.ts';
import { declareWait } from './commands/wait.ts';
import { declareWorker } from './commands/worker.ts';
import { declareWorkers } from './commands/workers.ts';
import { applyConfig, CONFIG_FILE, readConfig } from './settings/config-file.ts';
import { fillInAddress } from './settings/served-address.ts';
import { addTokenFlags, fillInToken } from './settings/token-flags.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';

const EPILOGUE = `
Flags beat the environment (MUSTER_…), which beats ${CONFIG_FILE} in the current
folder, which beats the defaults. Data goes to stdout, everything else to stderr.

Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
  .join('\n')}
`;

export function createCommandTree(context: Context): Command {
  const program = new Command('muster')
    .description('Turns the devices that people have into one computer.')
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('(--help shows how it is used)')
    .configureOutput({
      writeOut: (text) => void context.terminal.write(text),
      writeErr: (text) => tellLines(text, context),
      outputError: (text, write) => write(withAdvice(text).replace(/^error:/, 'muster:')),
    })
    .exitOverride()
    .addHelpText('after', EPILOGUE);
  program.commandsGroup('A coordinator and its workers:');
  declareStart(program, context);
  declareServe(program, context);
  declareWorker(program, context);
  declareJoin(program, context);
  declareToken(program, context);
  declareAudit(program, context);
  declareDoctor(program, context);
  declareBackup(program, context);
  declareRestore(program, context);
  declareMigrateStore(program, context);
  declareBench(program, context);
  program.commandsGroup('Jobs:');
  declareTry(program, context);
  declareSubmit(program, context);
  declareJobs(program, context);
  declareJob(program, context);
  declareResults(program, context);
  declareWait(program, context);
  declareCancel(program, context);
  declareRetry(program, context);
  declareHold(program, context);
  declareRelease(program, context);
  declareDelete(program, context);
  declareTasks(program, context);
  declareErrors(program, context);
  declareTask(program, context);
  declareExplain(program, context);
  program.commandsGroup('Workers of a coordinator:');
  declareWorkers(program, context);
  declareApprove(program, context);
  declareRename(program, context);
  declareDrain(program, context);
  declareResume(program, context);
  declareDeregister(program, context);
  program.commandsGroup('How work is given out, and how it goes:');
  declareScheduler(program, context);
  declareEvents(program, context);
  declareStats(program, context);
  declareMetrics(program, context);
  declareExport(program, context);
  declareQuota(program, context);
  declareCluster(program, context);
  program.commandsGroup('A lab, without a coordinator:');
  declareSimulate(program, context);
  declareCompare(program, context);
  declareTune(program, context);
  program.commandsGroup('For your shell:');
  declareCompletion(program, context);
  addTokenFlags(program.commands);
  program.hook('preSubcommand', (_program, command) => {
    const config = readConfig(context.folder);
    for (const each of [command, ...command.commands]) applyConfig(each, config);
  });
  program.hook('preAction', (_program, command) => {
    const config = readConfig(context.folder);
    fillInAddress(command, context, config);
    fillInToken(command, context, config);
  });
  return program;
}

/** What does that which people look for in a command of this name; a similar name would lead astray. */
const instead: Readonly<Record<string, string>> = {
  record: 'A coordinator records itself while it works: muster serve --record FILE',
};

function withAdvice(text: string): string {
  const [, sentence = '', name = ''] = /^(error: unknown command '([^']*)')/.exec(text) ?? [];
  return Object.hasOwn(instead, name) ? `${sentence}\n(${instead[name]})\n` : text;
}

function tellLines(text: string, { terminal }: Context): void {
  for (const line of text.replace(/\n$/, '').split('\n')) terminal.note(line);
}
