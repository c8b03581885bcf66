// One format at a time, whatever is said.

import { expect, test } from 'vitest';
import { createTerminal } from '../text/terminal.ts';
import { createServeLog } from './serve-log.ts';

test.each([
  ['no terminal', false, undefined, 'json'],
  ['a terminal', true, undefined, 'text'],
  ['a terminal, and JSON is asked for', true, 'json', 'json'],
  ['no terminal, and text is asked for', false, 'text', 'text'],
] as const)('with %s', async (_, isTTY, logFormat, expected) => {
  let written = '';
  const sink = { isTTY, write: (text: string) => ((written += text), true), once: () => undefined };
  const terminal = createTerminal(sink, sink, { NO_COLOR: '1' });
  const settings = { logLevel: 'warn', ...(logFormat === undefined ? {} : { logFormat }) };
  const { format, log, say, end } = await createServeLog(settings, { terminal });
  expect(format).toBe(expected);
  log.info('not told at this level');
  log.warn({ worker_id: 'w' }, 'a worker is lost');
  log.error({ err: new Error('the reason'), url: '/api/jobs' }, 'a request failed');
  say('serving at http://127.0.0.1:8000');
  end('It cannot go on.', ['Start it again.']);
  const lines = written.trimEnd().split('\n');
  if (expected === 'json') {
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toEqual([
      'a worker is lost',
      'a request failed',
      'serving at http://127.0.0.1:8000',
      'It cannot go on. Start it again.',
    ]);
    return;
  }
  const sentences = lines.filter((line) => !line.startsWith('    at '));
  expect(sentences).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d a worker is lost$/),
    expect.stringMatching(/^\d\d:\d\d:\d\d a request failed \(\/api\/jobs\): the reason$/),
    'serving at http://127.0.0.1:8000',
    'muster: It cannot go on.',
    'Start it again.',
  ]);
});
