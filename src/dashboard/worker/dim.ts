// After half a minute without a touch the page dims to its ring, which wanders a little, so that nothing burns
// into the screen. The first touch only wakes it: it presses nothing.

import { element } from './element.ts';

const quietMs = 30_000;
const stepMs = 20_000;
/** After the touch that wakes come its click and what a browser makes of it. */
const wakingMs = 400;
const wander = 8;

export class Dimmer {
  /** Lies over the page, so that no press goes through. */
  readonly #cover = element('div', { class: 'cover', hidden: true, 'aria-hidden': 'true' });
  #isAllowed = false;
  #timer = 0;
  #steps = 0;

  constructor() {
    document.body.append(this.#cover);
    for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const) {
      addEventListener(type, (event) => this.#touched(event), { capture: true, passive: false });
    }
    document.addEventListener('visibilitychange', () => this.#wake());
  }

  /** It may dim while it helps; otherwise somebody has to decide something. */
  allow(isAllowed: boolean): void {
    if (isAllowed === this.#isAllowed) return;
    this.#isAllowed = isAllowed;
    this.#wake();
  }

  get isDim(): boolean {
    return document.documentElement.dataset['dim'] !== undefined;
  }

  #touched(event: Event): void {
    if (this.isDim && event.type === 'keydown') {
      event.preventDefault();
      event.stopPropagation();
    }
    this.#wake();
  }

  #wake(): void {
    clearTimeout(this.#timer);
    if (this.isDim) {
      delete document.documentElement.dataset['dim'];
      setTimeout(() => {
        if (!this.isDim) this.#cover.hidden = true;
      }, wakingMs);
    }
    if (this.#isAllowed) this.#timer = setTimeout(() => this.#dim(), quietMs);
  }

  #dim(): void {
    // A sheet is open: somebody is in the middle of something.
    if (document.querySelector('dialog[open]') !== null) return this.#wake();
    document.documentElement.dataset['dim'] = '';
    this.#cover.hidden = false;
    this.#step();
  }

  #step(): void {
    if (!this.isDim) return;
    const angle = this.#steps++ * 2.4;
    const { style } = document.documentElement;
    style.setProperty('--wander-x', `${Math.round(Math.cos(angle) * wander)}px`);
    style.setProperty('--wander-y', `${Math.round(Math.sin(angle) * wander)}px`);
    this.#timer = setTimeout(() => this.#step(), stepMs);
  }
}
