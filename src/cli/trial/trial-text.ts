// What a person sees of a trial: everything but the result, which goes to stdout.

import type { ProgramMap } from '../../client/program-map.ts';
import type { Colors } from '../text/colors.ts';
import { messageLines } from '../text/error-text.ts';
import { duration, percent } from '../text/wording.ts';
import type { TrialEnd, TrialNews } from './run-trial.ts';

const SHOWN = 300;

export function newsLines(news: TrialNews, { dim, yellow }: Colors): readonly string[] {
  switch (news.type) {
    case 'output':
      return news.text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `  ${dim('|')} ${line}`);
    case 'progress': {
      const message = news.message === null ? '' : `: ${news.message}`;
      return [dim(`  progress ${percent(news.progress)}${message}`)];
    }
    case 'checkpoint':
      return [dim(`  checkpoint at ${percent(news.progress)}: ${shortened(news.stateJson)}`)];
    case 'unsaved':
      return [yellow(`  a state that it offers cannot be saved: ${news.why}`)];
  }
}

export function endLines(
  { outcome, memoryMb }: TrialEnd,
  map: ProgramMap,
  { dim, green, red }: Colors,
): readonly string[] {
  const { runMs, cpuSeconds } = outcome;
  const cost = `${duration(runMs)}, ${duration(cpuSeconds * 1000)} of CPU, ${memoryText(memoryMb)}`;
  if (outcome.type === 'result') return [`  ${green('completed')} ${dim(`in ${cost}`)}`];
  const { errorType, errorMessage, errorStack = '' } = outcome;
  const frames = errorStack === '' ? [] : map.mapped(errorStack).split('\n');
  const [head = '', ...more] = messageLines(red(errorType), errorMessage);
  return [
    `  ${red('failed')} ${dim(`after ${cost}`)}`,
    `  ${head}`,
    ...more,
    ...(errorType === 'out_of_memory' ? [dim('  give it more:  --memory 2GB')] : []),
    ...frames.map((frame) => `      ${frame}`),
  ];
}

export function shortened(json: string): string {
  return json.length <= SHOWN ? json : `${json.slice(0, SHOWN)}… (${json.length} characters)`;
}

function memoryText(mb: number): string {
  return mb < 1 ? 'less than 1 MB' : `${Math.round(mb)} MB`;
}
