// A strip for each device: the darker, the more of its slots were busy.

import type { TargetedPointerEvent } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { useCanvas, type Tokens } from '../../parts/canvas.ts';
import type { Span } from '../../parts/time-scale.ts';
import { go } from '../../shell/address.ts';
import { percent } from '../../text/numbers.ts';
import { clock } from '../../text/times.ts';
import { cutName } from '../../text/cut-name.ts';
import { fillHatched } from '../../parts/textures.ts';
import { useWidth } from '../../parts/use-width.ts';
import { type HeatStrip, runsOf } from './heat-strip.ts';

interface HeatStripsProps {
  readonly label: string;
  readonly strips: readonly HeatStrip[];
  readonly span: Span;
  /** The first bucket that is not drawn, and the one behind the last. */
  readonly undrawn: readonly [number, number];
}

interface Place {
  readonly row: number;
  readonly bucket: number;
}

const left = 148;
const nameHeight = 14;
const thinHeight = 5;
/** The times above them; the styles have the same height. */
const axis = 18;
/** From so many on names are only told, not drawn. */
const namesTo = 160;
/** More of them nobody could tell apart. */
const shadesInAll = 16;

export function HeatStrips({
  label,
  strips,
  span,
  undrawn: [hiddenFrom, hiddenTo],
}: HeatStripsProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const hasNames = strips.length <= namesTo;
  const height = hasNames ? nameHeight : thinHeight;
  const begin = hasNames ? left : 0;
  const [place, setPlace] = useState<Place | null>(null);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, token: Tokens) => {
      const cell = (width - begin) / (strips[0]?.shares.length ?? 1);
      const hidden = {
        x: begin + hiddenFrom * cell,
        y: 0,
        width: (hiddenTo - hiddenFrom) * cell,
        height: strips.length * height,
      };
      context.font = `500 11px ${token('sans')}`;
      context.textBaseline = 'middle';
      for (const [row, { name, shares }] of strips.entries()) {
        const y = row * height;
        context.globalAlpha = 1;
        if (hasNames) {
          context.fillStyle = token('ink');
          context.fillText(cutName(name, 24), 0, y + height / 2, begin - 8);
        }
        context.fillStyle = token('sunken');
        context.fillRect(begin, y, width - begin, height - 1);
        context.fillStyle = token('running');
        for (const { from, to, share } of runsOf(shares, shadesInAll)) {
          context.globalAlpha = 0.12 + 0.88 * share;
          const length = Math.max(1, (to - from) * cell - 0.5);
          context.fillRect(begin + from * cell, y, length, height - 1);
        }
      }
      if (hidden.width === 0) return;
      context.globalAlpha = 1;
      context.fillStyle = token('surface');
      context.fillRect(hidden.x, hidden.y, hidden.width, hidden.height);
      fillHatched(context, hidden, token('line'));
    },
    [strips, width, height, begin, hasNames, hiddenFrom, hiddenTo],
  );
  const total = Math.max(1, strips.length * height);
  const canvas = useCanvas({ width, height: total, draw });
  const buckets = strips[0]?.shares.length ?? 0;
  const strip = place === null ? undefined : strips[place.row];
  const told =
    strip === undefined
      ? ''
      : `${strip.name}, ${clock(new Date(span.from + ((span.to - span.from) * place!.bucket) / buckets))}: ${place!.bucket >= hiddenFrom && place!.bucket < hiddenTo ? 'not drawn' : `${percent(strip.shares[place!.bucket] ?? 0)} of its slots busy`}.`;
  const placeAt = (event: TargetedPointerEvent<HTMLDivElement>): Place | null => {
    const edge = event.currentTarget.getBoundingClientRect();
    const row = Math.floor((event.clientY - edge.top - axis) / height);
    const x = event.clientX - edge.left - begin;
    const bucket = Math.floor((x / Math.max(1, width - begin)) * buckets);
    return row >= 0 && row < strips.length ? { row, bucket: Math.max(0, bucket) } : null;
  };
  const press = (event: KeyboardEvent): void => {
    const { row, bucket } = place ?? { row: 0, bucket: buckets - 1 };
    const [down, right] = moves[event.key] ?? [];
    if (event.key === 'Enter' && strip?.href !== undefined) go(strip.href);
    else if (down === undefined) return;
    else {
      setPlace({
        row: Math.min(strips.length - 1, Math.max(0, row + down)),
        bucket: Math.min(buckets - 1, Math.max(0, bucket + right!)),
      });
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="timeline-strips" ref={box}>
      <div
        role="application"
        aria-roledescription="chart of load"
        aria-label={`${label} Arrows move by device and time.`}
        tabIndex={0}
        onKeyDown={press}
        onPointerMove={(event) => setPlace(placeAt(event))}
        onPointerLeave={({ pointerType }) => {
          if (pointerType === 'mouse') setPlace(null);
        }}
        // A touch tells; what it is of is in the table behind the picture.
        onPointerDown={(event) => setPlace(placeAt(event))}
        onPointerUp={({ pointerType }) => {
          if (pointerType === 'mouse' && strip?.href !== undefined) go(strip.href);
        }}
      >
        <div class="ends" style={{ paddingLeft: `${begin}px` }} aria-hidden="true">
          {[0, 0.5, 1].map((share) => (
            <span key={share}>{clock(new Date(span.from + share * (span.to - span.from)))}</span>
          ))}
        </div>
        <canvas ref={canvas} style={{ width: `${width}px`, height: `${total}px` }} />
      </div>
      <p class="soft" aria-live="polite">
        {told}
      </p>
    </div>
  );
}

const moves: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
