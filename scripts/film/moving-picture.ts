// Paints frames of a terminal as one SVG that moves by itself, without a script: the frames lie side by side,
// and a window steps from one to the next. A line that several frames show is in it once. Whoever wants
// no motion sees the last frame.

import type { Frame, Run } from './frames.ts';

const CELL = { width: 8.4, height: 19 };
const MARGIN = 14;
/** Room for the three dots of a window. */
const TOP = 34;
const HOLD_LAST_MS = 3_000;

const PLAIN = '#d6dae2';
const BACKGROUND = '#14171d';
/** The sixteen colours of a terminal: eight, and the same brighter. */
const COLORS = [
  '#5b6270 #ef7b7b #7fc98f #e0bb6a #7aa7f0 #c792ea #6fc7d0 #d6dae2',
  '#8a92a3 #ff9b9b #9fe3ad #f2d48b #9cc0ff #dcb3f5 #92e0e8 #ffffff',
].flatMap((colors) => colors.split(' '));

/** Throws where there is nothing to show. */
export function paintMovingPicture(frames: readonly Frame[], title: string): string {
  const last = frames.at(-1);
  if (last === undefined) throw new Error('A moving picture needs a frame.');
  const width = Math.ceil(last.columns * CELL.width + 2 * MARGIN);
  const height = TOP + last.lines.length * CELL.height + MARGIN;
  const lines = new LineStore();
  const painted = frames.map((frame, at) => {
    const { column, row } = frame.cursor;
    const cursor = `<rect x="${x(column)}" y="${y(row) - 14}" width="${CELL.width}" height="17" class="c"/>`;
    const uses = frame.lines.map((runs, index) => lines.use(runs, index)).join('');
    return `<g transform="translate(${at * width})">${cursor}${uses}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style(frames, width)}</style>`,
    `<rect width="${width}" height="${height}" rx="9" fill="${BACKGROUND}"/>`,
    ...[0, 1, 2].map((dot) => `<circle cx="${20 + dot * 18}" cy="17" r="5.5" fill="#3a404c"/>`),
    `<defs>${lines.definitions()}</defs>`,
    `<g class="strip">`,
    ...painted,
    '</g>',
    '</svg>\n',
  ].join('\n');
}

function style(frames: readonly Frame[], width: number): string {
  const wholeMs = frames.reduce((sum, { forMs }) => sum + forMs, HOLD_LAST_MS);
  let atMs = 0;
  const steps = frames.map(({ forMs }, at) => {
    const percent = ((atMs / wholeMs) * 100).toFixed(3);
    atMs += forMs;
    return `${percent}%{transform:translateX(${-at * width}px)}`;
  });
  const end = `translateX(${-(frames.length - 1) * width}px)`;
  return [
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}',
    `text{fill:${PLAIN}}.b{font-weight:700}.d{opacity:.6}.c{fill:#8a92a3;opacity:.55}`,
    ...COLORS.map((color, index) => `.k${index}{fill:${color}}`),
    `@keyframes play{${steps.join('')}100%{transform:${end}}}`,
    `.strip{animation:play ${(wholeMs / 1_000).toFixed(2)}s steps(1,end) infinite}`,
    `@media (prefers-reduced-motion:reduce){.strip{animation:none;transform:${end}}}`,
  ].join('');
}

/** Each different line once. */
class LineStore {
  readonly #names = new Map<string, string>();

  use(runs: readonly Run[], row: number): string {
    if (runs.length === 0) return '';
    const content = runs.map(paintRun).join('');
    const name = this.#names.get(content) ?? `l${this.#names.size}`;
    this.#names.set(content, name);
    return `<use href="#${name}" y="${y(row)}"/>`;
  }

  definitions(): string {
    return [...this.#names].map(([content, name]) => `<g id="${name}">${content}</g>`).join('');
  }
}

/** The length is told, so that columns stand below each other in whatever font there is. */
function paintRun({ column, text, color, isBold, isDim }: Run): string {
  const classes = [color === undefined ? '' : `k${color}`, isBold ? 'b' : '', isDim ? 'd' : '']
    .filter((name) => name !== '')
    .join(' ');
  const length = (text.length * CELL.width).toFixed(1);
  const attributes = classes === '' ? '' : ` class="${classes}"`;
  return `<text x="${x(column)}" textLength="${length}"${attributes}>${escaped(text)}</text>`;
}

function x(column: number): string {
  return (MARGIN + column * CELL.width).toFixed(1);
}

function y(row: number): number {
  return TOP + row * CELL.height + 14;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
