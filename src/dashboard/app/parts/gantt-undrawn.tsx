// The words on the part of a Gantt that is not drawn.

import type { BarBox } from './gantt-drawing.ts';

/** Less room the words have not. */
const from = 64;

export function Undrawn({ box }: { readonly box: BarBox | null }) {
  if (box === null || box.width < from) return null;
  return (
    <text class="undrawn" x={box.x + box.width / 2} y={box.y + box.height / 2} text-anchor="middle">
      not drawn
    </text>
  );
}
