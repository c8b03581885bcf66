// The page: a skeleton that is made once. Each view fills it; what did not change is not touched, so that
// focus stays, nothing flickers and the main button is always at its place.

import type { OwnerRules } from '../../worker/browser/page-messages.ts';
import { Announcer } from './announcer.ts';
import { drawn, element, outline, pieceNodes } from './element.ts';
import { RingDrawing, setText } from './ring-drawing.ts';
import { firstRules } from './rules-form.ts';
import type { Place } from './states/place.ts';
import {
  plain,
  type Action,
  type Deed,
  type Fact,
  type Note,
  type PictureName,
  type View,
} from './view.ts';

/** A button that has just appeared under a finger was not what the finger meant. */
const freshMs = 450;
const softButtons = 2;
/** Names can be very long; the headline leaves room for what follows. */
const longHeadline = 80;

const pictures: Readonly<Record<PictureName, string>> = {
  clock: 'M14 7v7l5 3M25 14a11 11 0 1 1-22 0 11 11 0 0 1 22 0z',
  lock: 'M9.5 12V8.5a4.5 4.5 0 0 1 9 0V12M8 12h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2z',
  battery:
    'M5 9h16a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM25.5 12.5v3M13 11.5l-3 3.5h5l-3 3.5',
};
const sliders =
  'M4 9h10m6 0h4M4 19h4m6 0h10M17 6a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM11 16a3 3 0 1 1 0 6 3 3 0 0 1 0-6z';
const bolt = 'M6 0L0 8.5h4L3.4 15 10 5.8H5.6z';

export interface ScreenOptions {
  readonly press: (deed: Deed) => void;
  readonly changeRules: (part: Partial<OwnerRules>) => void;
}

interface Button {
  readonly element: HTMLButtonElement;
  deed: Deed | null;
  timer: number;
}

export class Screen {
  readonly #options: ScreenOptions;
  readonly #who = element('p', { class: 'who' });
  readonly #settings: HTMLButtonElement;
  readonly #ring = new RingDrawing();
  readonly #headline = element('h1');
  readonly #say = element('p', { class: 'say' });
  readonly #details = element('div', { class: 'details' });
  readonly #facts = element('dl', { class: 'facts' });
  readonly #main: Button;
  readonly #soft: readonly Button[];
  readonly #spoken = element('p', { class: 'unseen', role: 'status' });
  readonly #announcer: Announcer;
  /** What is shown of each part, to see what has changed. */
  readonly #shown = new Map<HTMLElement, string>();

  constructor(root: HTMLElement, options: ScreenOptions) {
    this.#options = options;
    this.#settings = element(
      'button',
      { class: 'settings', type: 'button', 'aria-label': 'Settings' },
      outline(sliders, 26),
    );
    this.#settings.addEventListener('click', () => options.press('settings'));
    this.#main = this.#button('main');
    this.#soft = Array.from({ length: softButtons }, () => this.#button('soft'));
    this.#announcer = new Announcer((text) => setText(this.#spoken, text), {
      setTimeout: (run, ms) => setTimeout(run, ms),
      clearTimeout: (id) => clearTimeout(id),
    });
    root.replaceChildren(
      element('header', {}, this.#who, this.#settings),
      this.#ring.root,
      element('div', { class: 'words' }, this.#headline, this.#say, this.#details, this.#facts),
      element(
        'div',
        { class: 'deeds' },
        this.#main.element,
        element('div', { class: 'softs' }, ...this.#soft.map((each) => each.element)),
      ),
      this.#spoken,
    );
  }

  show(view: View, place: Place, rules: OwnerRules | null): void {
    const { dataset } = document.documentElement;
    dataset['view'] = view.name;
    dataset['tone'] = view.tone;
    document.title = `${plain(view.headline)} · Muster`;
    this.#fill(this.#who, view.helping ?? '', () =>
      view.helping === null ? ['Muster'] : ['Helping ', element('bdi', {}, view.helping)],
    );
    this.#settings.hidden = !view.hasSettings;
    this.#ring.root.hidden = view.ring === null;
    if (view.ring !== null) this.#ring.show(view.ring);
    this.#fill(this.#headline, JSON.stringify(view.headline), () => pieceNodes(view.headline));
    this.#fill(this.#say, JSON.stringify(view.say), () => pieceNodes(view.say));
    this.#headline.classList.toggle('long', plain(view.headline).length > longHeadline);
    this.#say.hidden = view.say.length === 0;
    this.#showDetails(view, place, rules);
    this.#fill(this.#facts, JSON.stringify(view.facts), () => view.facts.map(factNode));
    this.#facts.hidden = view.facts.length === 0;
    this.#showButton(this.#main, view.main);
    this.#soft.forEach((button, i) => this.#showButton(button, view.soft[i] ?? null));
    this.#announcer.show(view.announcement);
  }

  /** Cards keep what is open in them while their words are the same. */
  #showDetails(
    { points, hasRules, notes, askedBy }: View,
    { withheld }: Place,
    rules: OwnerRules | null,
  ): void {
    const isAsking = hasRules && rules !== null;
    const key = JSON.stringify([
      points,
      notes,
      askedBy,
      withheld,
      isAsking && [rules.onlyCharging, rules.onlyUnmetered],
    ]);
    this.#fill(this.#details, key, () => [
      ...(points.length === 0
        ? []
        : [
            element(
              'ul',
              { class: 'points' },
              ...points.map(({ picture, text, small }) =>
                element(
                  'li',
                  {},
                  outline(pictures[picture], 28),
                  element('span', {}, text, element('small', {}, small)),
                ),
              ),
            ),
          ]),
      ...(isAsking
        ? [
            element(
              'div',
              { class: 'rules' },
              ...firstRules(rules, withheld, this.#options.changeRules),
            ),
          ]
        : []),
      ...notes.map(noteNode),
      ...(askedBy === null ? [] : [this.#askedBy(askedBy)]),
    ]);
  }

  #askedBy(host: string): HTMLElement {
    const link = element('button', { class: 'plain', type: 'button' }, 'What exactly runs here?');
    link.addEventListener('click', () => this.#options.press('what_runs'));
    return element('p', { class: 'from' }, 'Asked by ', element('bdi', {}, host), '. ', link);
  }

  #fill(part: HTMLElement, key: string, make: () => readonly (Node | string)[]): void {
    if (this.#shown.get(part) === key) return;
    const focused = part.contains(document.activeElement) ? focusPlace(part) : -1;
    this.#shown.set(part, key);
    part.replaceChildren(...make());
    if (focused >= 0) focusables(part)[focused]?.focus();
  }

  #button(className: string): Button {
    const made: Button = {
      element: element('button', { class: className, type: 'button', hidden: true }),
      deed: null,
      timer: 0,
    };
    made.element.addEventListener('click', () => {
      if (made.deed === null || made.element.dataset['fresh'] !== undefined) return;
      this.#options.press(made.deed);
    });
    return made;
  }

  #showButton(button: Button, action: Action | null): void {
    const { element: node } = button;
    const deed = action?.deed ?? null;
    if (deed !== button.deed) {
      button.deed = deed;
      node.dataset['fresh'] = '';
      clearTimeout(button.timer);
      button.timer = setTimeout(() => delete node.dataset['fresh'], freshMs);
      // Where it goes, the focus goes to what is said.
      if (deed === null && document.activeElement === node) {
        this.#headline.tabIndex = -1;
        this.#headline.focus();
      }
    }
    node.hidden = action === null;
    setText(node, action?.label ?? '');
    node.classList.toggle('quiet', action?.isQuiet === true);
  }
}

function focusables(part: HTMLElement): readonly HTMLElement[] {
  return [...part.querySelectorAll<HTMLElement>('button, input, summary')];
}

function focusPlace(part: HTMLElement): number {
  return focusables(part).findIndex((each) => each === document.activeElement);
}

function factNode({ label, value, isCharging }: Fact): HTMLElement {
  const told = element('dd', {}, value);
  if (isCharging === true) {
    told.append(
      drawn(
        'svg',
        {
          viewBox: '0 0 10 15',
          width: 10,
          height: 15,
          class: 'bolt',
          role: 'img',
          'aria-label': 'charging',
        },
        drawn('path', { d: bolt }),
      ),
    );
  }
  return element('div', {}, element('dt', {}, label), told);
}

function noteNode({ title, text, help }: Note): HTMLElement {
  const note = element('div', { class: 'note' });
  const words = element('p', {});
  if (title !== '') words.append(element('b', {}, title), ' ');
  words.append(text);
  note.append(words);
  if (help !== undefined) {
    note.append(
      element('details', {}, element('summary', {}, 'What would help?'), element('p', {}, help)),
    );
  }
  return note;
}
