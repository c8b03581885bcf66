// Which of very many: a cell for each few consecutive tasks. One tab stop; arrows move from cell to cell, and what is
// in it is read.

import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { TaskMap } from '../../../protocol/resources.ts';
import { grouped } from '../text/numbers.ts';
import { type Tokens, useCanvas } from './canvas.ts';
import {
  cellAt,
  cellCount,
  cellGrid,
  type CellGrid,
  type CellKey,
  countsOf,
  lookOf,
  moveCell,
  rangeOf,
  toldOfCell,
  toldOfMap,
} from './heat-cells.ts';
import { fillFailed, fillHatched, fillLined, outline } from './textures.ts';
import { useWidth } from './use-width.ts';

interface HeatGridProps {
  readonly map: TaskMap;
  /** What was chosen with the keys or a click. */
  readonly chosen: number | null;
  readonly onChoose: (cell: number | null) => void;
  /** What is under the pointer, null when none. */
  readonly onHover: (cell: number | null) => void;
  /** Enter, or a click on a cell of one task. */
  readonly onOpen: (cell: number) => void;
  /** A range was dragged over; `to` is not in it. */
  readonly onRange: (range: { readonly from: number; readonly to: number }) => void;
}

const height = 260;
const keys = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End']);

export function HeatGrid({ map, chosen, onChoose, onHover, onOpen, onRange }: HeatGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const cells = cellCount(map);
  const grid = useMemo(
    () => cellGrid(cells, { width: Math.max(40, width), height }),
    [cells, width],
  );
  const draw = useCallback(
    (context: CanvasRenderingContext2D, token: Tokens) => drawCells(context, map, grid, token),
    [map, grid],
  );
  const drawn = grid.rows * grid.step;
  const canvas = useCanvas({ width, height: drawn, draw });

  const under = (event: { readonly clientX: number; readonly clientY: number }): number | null => {
    const edge = canvas.current!.getBoundingClientRect();
    return cellAt(grid, cells, event.clientX - edge.left, event.clientY - edge.top);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (keys.has(event.key)) onChoose(moveCell(chosen, event.key as CellKey, grid, cells));
    else if (event.key === 'Enter' && chosen !== null) onOpen(chosen);
    else if (event.key === 'Escape' && chosen !== null) onChoose(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const release = (event: PointerEvent): void => {
    const cell = under(event);
    setDrag(null);
    if (drag !== null && drag.from !== drag.to) {
      const [first, last] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      onRange({ from: rangeOf(map, first).from, to: rangeOf(map, last).to });
      return;
    }
    onChoose(cell);
    if (cell !== null && map.width === 1 && event.pointerType === 'mouse') onOpen(cell);
  };
  return (
    <div class="heat" ref={box}>
      <div
        class="chart"
        role="application"
        aria-roledescription="grid of tasks"
        aria-label={`${toldOfMap(map)} Arrows move from cell to cell, Enter looks closer.`}
        tabIndex={0}
        style={{ height: `${drawn}px` }}
        onKeyDown={press}
        onPointerMove={(event) => {
          const cell = under(event);
          onHover(cell);
          if (drag !== null && cell !== null) setDrag({ ...drag, to: cell });
        }}
        onPointerLeave={() => onHover(null)}
        onPointerDown={(event) => {
          const cell = under(event);
          if (cell === null || event.pointerType !== 'mouse' || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: cell, to: cell });
        }}
        onPointerUp={release}
        onPointerCancel={() => setDrag(null)}
      >
        <canvas ref={canvas} style={{ width: `${width}px`, height: `${drawn}px` }} />
        {chosen === null || chosen >= cells ? null : <Mark cell={chosen} grid={grid} />}
        {drag === null || drag.from === drag.to ? null : (
          <Dragged
            first={Math.min(drag.from, drag.to)}
            last={Math.max(drag.from, drag.to)}
            grid={grid}
          />
        )}
      </div>
      <p class="ends">
        <span>{grouped(map.from)}</span>
        <span>{grouped(Math.max(map.from, map.to - 1))}</span>
      </p>
      <p class="unseen" aria-live="polite">
        {chosen === null || chosen >= cells ? '' : toldOfCell(map, chosen)}
      </p>
    </div>
  );
}

function Mark({ cell, grid }: { readonly cell: number; readonly grid: CellGrid }) {
  const [row, column] = [Math.floor(cell / grid.columns), cell % grid.columns];
  return (
    <i
      class="mark"
      style={{
        left: `${column * grid.step - 2}px`,
        top: `${row * grid.step - 2}px`,
        width: `${grid.step + 3}px`,
        height: `${grid.step + 3}px`,
      }}
    />
  );
}

interface DraggedProps {
  readonly first: number;
  readonly last: number;
  readonly grid: CellGrid;
}

/** The rows from the first to the last cell, whole ones in between. */
function Dragged({ first, last, grid: { columns, step } }: DraggedProps) {
  const rows = [];
  for (let row = Math.floor(first / columns); row <= Math.floor(last / columns); row++) {
    const from = Math.max(first, row * columns) - row * columns;
    const to = Math.min(last, (row + 1) * columns - 1) - row * columns;
    rows.push(
      <i
        key={row}
        class="drag"
        style={{
          left: `${from * step}px`,
          top: `${row * step}px`,
          width: `${(to - from + 1) * step - 1}px`,
          height: `${step}px`,
        }}
      />,
    );
  }
  return <>{rows}</>;
}

const alphaOfThird = { 1: 0.35, 2: 0.65, 3: 1 } as const;

function drawCells(
  context: CanvasRenderingContext2D,
  map: TaskMap,
  { columns, step }: CellGrid,
  token: Tokens,
): void {
  const cells = cellCount(map);
  const size = step - 1;
  for (let cell = 0; cell < cells; cell++) {
    const { base, third, isRunning } = lookOf(countsOf(map, cell));
    const box = {
      x: (cell % columns) * step,
      y: Math.floor(cell / columns) * step,
      width: size,
      height: size,
    };
    switch (base) {
      case 'failed':
        fillFailed(context, box, token);
        break;
      case 'assigned':
        fillHatched(context, box, token('assigned'));
        break;
      case 'cancelled':
        fillLined(context, box, token('cancelled'));
        break;
      case 'pending':
        outline(context, box, token(size < 8 ? 'line' : 'pending'));
        break;
      case 'completed':
      case 'running':
        context.globalAlpha = base === 'completed' ? alphaOfThird[third] : 1;
        context.fillStyle = token(base);
        context.fillRect(box.x, box.y, size, size);
        context.globalAlpha = 1;
    }
    if (!isRunning || base === 'failed') continue;
    const foot = Math.max(2, Math.round(size / 3));
    context.fillStyle = token('running');
    context.fillRect(box.x, box.y + size - foot, size, foot);
  }
}
