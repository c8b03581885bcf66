// Rows of dots on one scale from 0: what each worker has, where the middle is, and how far it is spread.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { linesOf } from '../../parts/chart-scale.ts';
import { grouped } from '../../text/numbers.ts';
import type { Spread } from './spread.ts';
import { leastForSpread } from './spread.ts';

export interface DotRow {
  readonly key: string;
  readonly name: ComponentChildren;
  readonly shown: { readonly dot: number } | { readonly spread: Spread } | null;
  /** What the dots say, and n. */
  readonly text: ComponentChildren;
}

interface DotRowsProps {
  readonly rows: readonly DotRow[];
  readonly top: number;
  readonly tick: (value: number) => string;
  /** A line through all rows, as that of equality. */
  readonly line?: { readonly at: number; readonly text: string } | undefined;
}

/** More are shown when they are asked for. */
const few = 24;

export function DotRows({ rows, top, tick, line }: DotRowsProps) {
  const [areAll, setAll] = useState(false);
  const x = (value: number): string => `${(100 * Math.min(value, top)) / top}%`;
  const shown = areAll ? rows : rows.slice(0, few);
  const ticks = linesOf(top);
  return (
    <div class="evaluation-dots">
      <ul>
        {shown.map(({ key, name, shown: what, text }) => (
          <li key={key} class="reach-row">
            <span class="cut">{name}</span>
            <svg aria-hidden="true" width="100%" height="20">
              {ticks.map((value) => (
                <line key={value} class="grid-line" x1={x(value)} x2={x(value)} y1="0" y2="20" />
              ))}
              {line === undefined ? null : (
                <line class="equal" x1={x(line.at)} x2={x(line.at)} y1="0" y2="20" />
              )}
              {what === null ? null : 'dot' in what ? (
                <>
                  <line class="stem" x1="0" x2={x(what.dot)} y1="10" y2="10" />
                  <circle class="dot" cx={x(what.dot)} cy="10" r="4" />
                </>
              ) : (
                <SpreadMarks spread={what.spread} x={x} />
              )}
            </svg>
            <span class="number">{text}</span>
          </li>
        ))}
        <li class="axis" aria-hidden="true">
          <span class="cut">{line?.text}</span>
          <span class="ticks">
            {ticks.map((value) => (
              <i key={value} style={{ left: x(value) }}>
                {tick(value)}
              </i>
            ))}
          </span>
        </li>
      </ul>
      {shown.length === rows.length ? null : (
        <Button isSmall onPress={() => setAll(true)}>
          {`${grouped(rows.length - shown.length)} more`}
        </Button>
      )}
    </div>
  );
}

function SpreadMarks({
  spread,
  x,
}: {
  readonly spread: Spread;
  readonly x: (v: number) => string;
}) {
  const { dots, n, p5, p95, median } = spread;
  const isFew = n < leastForSpread;
  return (
    <>
      {isFew ? null : (
        <>
          <line class="whisker" x1={x(p5)} x2={x(p95)} y1="10" y2="10" />
          <line class="whisker" x1={x(p5)} x2={x(p5)} y1="6" y2="14" />
          <line class="whisker" x1={x(p95)} x2={x(p95)} y1="6" y2="14" />
        </>
      )}
      {dots.map((value, place) => (
        <circle
          key={place}
          class={isFew ? 'dot' : 'dot faint'}
          cx={x(value)}
          cy="10"
          r={isFew ? 3.5 : 2.5}
        />
      ))}
      {isFew ? null : <line class="median" x1={x(median)} x2={x(median)} y1="3" y2="17" />}
    </>
  );
}
