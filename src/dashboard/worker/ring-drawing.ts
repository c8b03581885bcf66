// The ring as it is drawn: made once, and after that only what has changed is touched.

import { drawn, element } from './element.ts';
import { steadied, tickCount, type Ring } from './ring.ts';

const centre = 100;
const outermost = 77;
const between = 9;
const rows = [0, 1, 2];
const dotsAtMost = 5;

export class RingDrawing {
  readonly root = element('div', { class: 'ring' });
  readonly #ticks: readonly SVGPathElement[];
  readonly #arcs: readonly { readonly track: SVGCircleElement; readonly arc: SVGCircleElement }[];
  readonly #figure = element('div', { class: 'figure' });
  readonly #label = element('div', { class: 'label' });
  readonly #more = element('div', { class: 'more' });
  readonly #rounds = element('div', { class: 'rounds', 'aria-hidden': 'true' });
  readonly #lessMotion = matchMedia('(prefers-reduced-motion: reduce)');

  constructor() {
    this.#ticks = Array.from({ length: tickCount }, (_, i) =>
      drawn('path', {
        d: `M100 5v${i % 5 === 0 ? 12 : 8}`,
        transform: `rotate(${i * 6} ${centre} ${centre})`,
      }),
    );
    this.#arcs = rows.map((row) => {
      const shape = { cx: centre, cy: centre, r: outermost - row * between, pathLength: 100 };
      const turned = { ...shape, transform: `rotate(-90 ${centre} ${centre})` };
      return {
        track: drawn('circle', { ...shape, class: 'track' }),
        arc: drawn('circle', { ...turned, class: 'arc' }),
      };
    });
    this.root.append(
      drawn(
        'svg',
        { viewBox: '0 0 200 200', 'aria-hidden': 'true' },
        ...this.#ticks,
        ...this.#arcs.flatMap(({ track, arc }) => [track, arc]),
      ),
      element('div', { class: 'middle' }, this.#figure, this.#label, this.#more, this.#rounds),
    );
  }

  show(told: Ring): void {
    const ring = this.#lessMotion.matches ? steadied(told) : told;
    this.#ticks.forEach((tick, i) => setClass(tick, ring.ticks[i] ?? 'open'));
    this.#arcs.forEach(({ track, arc }, row) => {
      const progress = ring.arcs[row];
      setClass(
        track,
        progress === undefined ? 'track gone' : progress === null ? 'track untold' : 'track',
      );
      setClass(
        arc,
        progress === undefined || progress === null || progress <= 0 ? 'arc gone' : 'arc',
      );
      const length = Math.round(Math.min(1, progress ?? 0) * 1000) / 10;
      arc.setAttribute('stroke-dasharray', `${length} 100`);
    });
    this.root.classList.toggle('still', ring.isStill);
    setText(this.#figure, ring.figure);
    this.#figure.classList.toggle('long', ring.figure.length > 4);
    setText(this.#label, ring.label);
    setText(this.#more, ring.more === 0 ? '' : `and ${ring.more} more`);
    this.#showRounds(ring.rounds);
  }

  /** A dot for each full round; many are counted instead. */
  #showRounds(rounds: number): void {
    const text = rounds > dotsAtMost ? `×${rounds}` : '';
    const dots = rounds > dotsAtMost ? 1 : rounds;
    if (this.#rounds.dataset['rounds'] === String(rounds)) return;
    this.#rounds.dataset['rounds'] = String(rounds);
    this.#rounds.replaceChildren(...Array.from({ length: dots }, () => element('i')), text);
  }
}

function setClass(drawing: SVGElement, name: string): void {
  if (drawing.getAttribute('class') !== name) drawing.setAttribute('class', name);
}

export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
