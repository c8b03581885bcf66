import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import type { Frame } from './frames.ts';
import { paintMovingPicture } from './moving-picture.ts';
import { Recorder } from './recorder.ts';

const ESC = '\u001b';

function frame(forMs: number, ...texts: readonly string[]): Frame {
  const lines = texts.map((text) => [
    { column: 0, text, color: undefined, isBold: false, isDim: false },
  ]);
  return { forMs, columns: 20, lines, cursor: { column: 0, row: 0 } };
}

test('each frame stands for its time, the last one longer, and a line is in the picture once', () => {
  const picture = paintMovingPicture([frame(2_000, 'a', 'b'), frame(3_000, 'b', 'a')], 'A title');
  expect(picture.match(/>a<\/text>/g)).toHaveLength(1);
  expect(picture.match(/href="#l0"/g)).toHaveLength(2);
  expect(picture).toContain(
    '0.000%{transform:translateX(0px)}25.000%{transform:translateX(-196px)}',
  );
  expect(picture).toContain('animation:play 8.00s steps(1,end) infinite');
});

test('what stands in a terminal cannot become markup', () => {
  const picture = paintMovingPicture([frame(1, '</text><script>&"')], '<b>');
  expect(picture).toContain('&lt;/text&gt;&lt;script&gt;&amp;&quot;');
  expect(picture).not.toMatch(/<script|<b>/);
});

test('without a frame there is no picture', () => {
  expect(() => paintMovingPicture([], 'x')).toThrow('A moving picture needs a frame.');
});

test('the recorder keeps colours, weights and columns', async () => {
  const terminal = new xterm.Terminal({ cols: 20, rows: 2, allowProposedApi: true });
  const written = `plain ${ESC}[1;31mred${ESC}[0m  ${ESC}[2mdim${ESC}[0m`;
  await new Promise<void>((resolve) => {
    terminal.write(written, resolve);
  });
  const frames = new Recorder(terminal).stop();
  expect(frames).toHaveLength(1);
  expect(frames[0]?.lines).toEqual([
    [
      { column: 0, text: 'plain ', color: undefined, isBold: false, isDim: false },
      { column: 6, text: 'red', color: 1, isBold: true, isDim: false },
      { column: 11, text: 'dim', color: undefined, isBold: false, isDim: true },
    ],
    [],
  ]);
  expect(frames[0]?.cursor).toEqual({ column: 14, row: 0 });
});
