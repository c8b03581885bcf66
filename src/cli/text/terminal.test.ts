import { describe, expect, test } from 'vitest';
import { createColors } from './colors.ts';
import { createTerminal } from './terminal.ts';

function screen(isTTY: boolean, environment: Readonly<Record<string, string>> = {}) {
  let text = '';
  const sink = {
    isTTY,
    columns: 20,
    write: (more: string) => {
      text += more;
      return true;
    },
    once: () => undefined,
  };
  return { terminal: createTerminal(sink, sink, environment), text: () => text };
}

const foreign = 'a\u001b[31mb\u009b8mc\u202ed';
const shown = 'a\\u001b[31mb\\u009b8mc\\u202ed';

describe('no way of writing lets control characters of foreign text through', () => {
  test.each([true, false])('whether it is a terminal: %j', async (isTTY) => {
    const { terminal, text } = screen(isTTY);
    await terminal.write(`${foreign}\n${foreign}\n`);
    terminal.print(`${foreign}\n${foreign}`);
    terminal.note(`${foreign}\n${foreign}`);
    const line = `${shown} ${shown}\n`;
    expect(text()).toBe(`${shown}\n${shown}\n${line}${line}`);
  });

  test('the line at the bottom', () => {
    const { terminal, text } = screen(true);
    terminal.status(foreign);
    expect(text()).toBe(`\r${shown.slice(0, 17)}`);
  });

  test('the line at the bottom fits, though its characters are wide', () => {
    const { terminal, text } = screen(true);
    terminal.status('日本語'.repeat(10));
    expect(text()).toBe(`\r${'日本語'.repeat(3).slice(0, 8)}`);
  });
});

describe('data and the line at the bottom never share a line', () => {
  /** What a terminal shows of what was written to it. */
  function linesOf(written: string): readonly string[] {
    const lines = [''];
    // oxlint-disable-next-line no-control-regex -- because the terminal is told by these
    for (const part of written.split(/(\r|\n|\u001b\[2K)/)) {
      if (part === '\n') lines.push('');
      else if (part === '\u001b[2K') lines[lines.length - 1] = '';
      else if (part !== '\r') {
        lines[lines.length - 1] = part + lines.at(-1)!.slice(part.length);
      }
    }
    return lines;
  }

  test('the status is erased before the data, and stands below it again', async () => {
    const { terminal, text } = screen(true);
    terminal.status('[..] 0 %');
    await terminal.data('{"index":0}\n');
    expect(linesOf(text())).toEqual(['{"index":0}', '[..] 0 %']);
    terminal.note('a note');
    terminal.status('[#.] 50 %');
    await terminal.write('text\n');
    terminal.status('');
    expect(linesOf(text())).toEqual(['{"index":0}', 'a note', 'text', '']);
  });

  test('it waits while the data has not ended its line', async () => {
    const { terminal, text } = screen(true);
    terminal.status('[..] 0 %');
    await terminal.data('[1');
    terminal.status('[#.] 50 %');
    await terminal.data(',\n2');
    expect(linesOf(text())).toEqual(['[1,', '2']);
    await terminal.data(']\n');
    expect(linesOf(text())).toEqual(['[1,', '2]', '[#.] 50 %']);
  });

  test('a pipe gets the data alone', async () => {
    const out: string[] = [];
    const sink = (isTTY: boolean, to: string[]) => ({
      isTTY,
      write: (text: string) => to.push(text) > 0,
      once: () => undefined,
    });
    const terminal = createTerminal(sink(false, out), sink(true, []), {});
    terminal.status('[..] 0 %');
    await terminal.data('1\n');
    expect(out).toEqual(['1\n']);
  });
});

describe('JSON', () => {
  const value = { [foreign]: ['\u009b', '\u{e0041}'] };
  const json = JSON.stringify(value);

  test('goes to a file or a pipe as it is', async () => {
    const { terminal, text } = screen(false);
    await terminal.data(`${json}\n`);
    terminal.json(value);
    terminal.log(`${json}\n`);
    expect(text()).toBe(`${json}\n`.repeat(3));
  });

  test('is shown on a terminal with escapes, and is the same value', async () => {
    const { terminal, text } = screen(true);
    await terminal.data(`${json}\n`);
    terminal.json(value);
    terminal.log(`${json}\n`);
    const lines = text().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([value, value, value]);
    expect(lines[0]).toContain('["\\u009b","\\udb40\\udc41"]');
    // oxlint-disable-next-line no-control-regex -- because these must not be there
    expect(text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('colours', () => {
  test('of the command line arrive, around foreign text that has its own', () => {
    const { terminal, text } = screen(true);
    terminal.print(terminal.colors.red(foreign));
    expect(text()).toBe(`\u001b[31m${shown}\u001b[39m\n`);
  });

  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { TERM: 'dumb' }, false],
  ])('terminal: %j, with %j: %j', (isTTY, environment, isColored) => {
    const { terminal, text } = screen(isTTY, environment);
    terminal.print(terminal.colors.dim('x'));
    expect(text()).toBe(isColored ? '\u001b[2mx\u001b[22m\n' : 'x\n');
  });

  test('have a seal that is long enough not to be guessed', () => {
    const [seal = ''] = createColors(true).red('x').split('[');
    expect(seal).toMatch(/^<[0-9a-f]{32}>$/);
  });
});
