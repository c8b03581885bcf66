// Elements of the page. Texts are only ever set as text: names come from strangers.

import type { Piece } from './view.ts';

type Attributes = Readonly<Record<string, string | number | boolean>>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

export function drawn<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes,
  ...children: readonly Node[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

function setAll(made: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
}

/** Names stand out, and may be written in any direction. */
export function pieceNodes(pieces: readonly Piece[]): readonly (Node | string)[] {
  return pieces.map((piece) =>
    typeof piece === 'string' ? piece : element('bdi', {}, piece.name),
  );
}

export function outline(paths: string, size: number): SVGSVGElement {
  return drawn(
    'svg',
    { viewBox: '0 0 28 28', width: size, height: size, class: 'outline', 'aria-hidden': 'true' },
    drawn('path', { d: paths }),
  );
}
