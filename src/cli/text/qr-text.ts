// A QR code on a terminal: two rows of modules in a line, by the upper and the lower half of a character. It is
// dark on white whatever colours the terminal has: not every phone reads one that is light on dark.

import type { Colors } from './colors.ts';

/** By the upper and the lower module; `1` is dark. */
const halves: Readonly<Record<string, string>> = { '00': ' ', '10': '▀', '01': '▄', '11': '█' };
/** The same where nothing can be coloured: what is light is drawn, as it is right on a dark terminal. */
const inverted: Readonly<Record<string, string>> = { '00': '█', '10': '▄', '01': '▀', '11': ' ' };

/** `rows`: with the margin around the code. */
export function qrText(
  rows: readonly string[],
  { black, bgWhiteBright }: Pick<Colors, 'black' | 'bgWhiteBright'>,
): string {
  const isColored = black('') !== '';
  const drawn = isColored ? halves : inverted;
  const lines: string[] = [];
  for (let i = 0; i < rows.length; i += 2) {
    const upper = rows[i]!;
    const lower = rows[i + 1] ?? '0'.repeat(upper.length);
    const line = Array.from(upper, (module, x) => drawn[module + lower[x]!]).join('');
    lines.push(black(bgWhiteBright(line)));
  }
  return lines.join('\n');
}
