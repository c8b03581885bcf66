// The summary for a terminal: percentiles, risks, and a bar for each range of outcomes.

import type { Summary } from './combine.ts';
import { shareBelow } from './histogram.ts';

const RANGES = [0, 0.5, 1, 1.5, 2, 3, 5, Number.POSITIVE_INFINITY];
const LABELS: Readonly<Record<number, string>> = {
  5: 'bad (one in 20 is worse)',
  25: 'poor (one in 4 is worse)',
  50: 'median',
  75: 'good (one in 4 is better)',
  95: 'great (one in 20 is better)',
};

export type TableOptions = {
  /** Width of the terminal; lines are kept within it, down to 56. */
  readonly columns?: number | undefined;
  readonly color?: boolean | undefined;
  /** Colours of another sort than those of ANSI terminals. */
  readonly paint?: Paint | undefined;
};

export function marketRiskTable(summary: Summary, options: TableOptions = {}): string {
  const width = Math.max(56, Math.min(options.columns ?? 80, 80));
  const paint = options.paint ?? (options.color ? ansi : plain);
  const { history, months } = summary;
  return [
    paint.bold(`${title(summary)}: what 1.00 becomes`),
    ...wrap(
      `${grouped(summary.paths)} simulated paths of ${months} months, drawn in blocks of ` +
        `${summary.block} from ${history.months} monthly returns, ${monthName(history.from)} to ` +
        `${monthName(history.to)}.`,
      width,
    ).map(paint.dim),
    '',
    ...outcomeLines(summary, width, paint),
    '',
    ...riskLines(summary, width),
    '',
    ...rangeLines(summary, width, paint),
    '',
    ...wrap(
      `Source: ${history.source}. Prices only: no dividends, inflation, taxes or fees. ` +
        'A picture of one past, not a forecast.',
      width,
    ).map(paint.dim),
    '',
  ].join('\n');
}

export function title({ months }: Pick<Summary, 'months'>): string {
  return months % 12 === 0
    ? `S&P 500, ${months / 12} year${months === 12 ? '' : 's'} ahead`
    : `S&P 500, ${months} months ahead`;
}

/** '2000-02' → 'Feb 2000' */
export function monthName(month: string): string {
  const [year, number] = month.split('-');
  const names = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
  return `${names[Number(number) - 1] ?? '?'} ${year}`;
}

/** 20000000 → '20 000 000' */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ' ');
}

export function percent(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)} %`;
}

function outcomeLines(summary: Summary, width: number, paint: Paint): string[] {
  const row = (name: string, end: string, perYear: string) =>
    `  ${name.padEnd(width - 20)}${end.padStart(8)}${perYear.padStart(10)}`;
  return [
    paint.dim(row('Outcome', 'ends at', 'per year')),
    paint.dim(`  ${'─'.repeat(width - 2)}`),
    ...summary.outcomes.map(({ percentile, factor, perYear }) => {
      const name = `${String(percentile).padStart(2)} %   ${LABELS[percentile] ?? ''}`;
      const line = row(name, factor.toFixed(2), signedPercent(perYear));
      return percentile === 50 ? paint.bold(line) : line;
    }),
  ];
}

function riskLines(summary: Summary, width: number): string[] {
  const row = (name: string, value: string) => `  ${name.padEnd(width - 16)}${value.padStart(14)}`;
  return [
    row('Mean end', summary.meanFactor.toFixed(2)),
    row('Mean end of the worst 5 %', summary.expectedShortfallFactor.toFixed(2)),
    row('Chance of a loss', percent(summary.probabilityOfLoss)),
    row('Chance to double', percent(summary.probabilityOfDoubling)),
    row('Deepest fall on the way, median', signedPercent(-summary.medianDrawdown)),
    row('Deepest fall on the way, one in 20', signedPercent(-summary.severeDrawdown)),
    row('Longest time below a high, median', `${summary.medianMonthsUnderwater} months`),
  ];
}

function rangeLines({ growth }: Summary, width: number, paint: Paint): string[] {
  const below = RANGES.map((limit) => shareBelow(growth, Math.log(limit)));
  const shares = below.slice(1).map((share, index) => share - below[index]!);
  const room = width - 26;
  const scale = room / Math.max(...shares);
  return shares.map((share, index) => {
    const [from, to] = [RANGES[index]!, RANGES[index + 1]!];
    const name =
      from === 0
        ? `below ${to.toFixed(2)}`
        : to === Number.POSITIVE_INFINITY
          ? `above ${from.toFixed(2)}`
          : `${from.toFixed(2)} – ${to.toFixed(2)}`;
    const color = to <= 1 ? paint.red : paint.green;
    return `  ${name.padEnd(13)}${percent(share).padStart(8)}  ${color(bar(share * scale))}`;
  });
}

/** A bar of so many columns, to an eighth of one. */
function bar(length: number): string {
  const eighths = Math.round(length * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + ' ▏▎▍▌▋▊▉'.charAt(eighths % 8).trim();
}

function signedPercent(share: number): string {
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green', (text: string) => string>>;

const plain: Paint = { bold: String, dim: String, red: String, green: String };
const ansi: Paint = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
  red: (text) => `\x1b[31m${text}\x1b[39m`,
  green: (text) => `\x1b[32m${text}\x1b[39m`,
};
