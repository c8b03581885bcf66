// What is on the page at one moment, as plain values: states make it, the screen shows it.

import type { Ring } from './ring.ts';

/** A sentence is made of text and of names, which stand out and may be in any script. */
export type Piece = string | { readonly name: string };

/** What a button does; `main.ts` knows how. */
export type Deed =
  | 'start'
  | 'not_now'
  | 'pause'
  | 'go_on'
  | 'ignore_battery'
  | 'leave'
  | 'settings'
  | 'what_runs'
  | 'forget'
  | 'again'
  | 'reload';

export interface Action {
  readonly label: string;
  readonly deed: Deed;
  /** Drawn as an outline: it is possible, not advised. */
  readonly isQuiet?: boolean;
}

export type Tone = 'go' | 'rest' | 'care' | 'away';

export interface Note {
  readonly title: string;
  readonly text: string;
  /** Behind "What would help?". */
  readonly help?: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly isCharging?: boolean;
}

export type PictureName = 'clock' | 'lock' | 'battery';

export interface Point {
  readonly picture: PictureName;
  readonly text: string;
  readonly small: string;
}

export interface View {
  /** For tests and style sheets. */
  readonly name: string;
  readonly tone: Tone;
  /** Whom it helps; null before and after. */
  readonly helping: string | null;
  readonly hasSettings: boolean;
  readonly ring: Ring | null;
  readonly headline: readonly Piece[];
  /** What is read out when it has stood for a moment; it changes less often than the headline. */
  readonly announcement: string;
  readonly say: readonly Piece[];
  readonly points: readonly Point[];
  /** The two rules that are asked about before it begins. */
  readonly hasRules: boolean;
  readonly notes: readonly Note[];
  readonly facts: readonly Fact[];
  /** Who asks, as an address. */
  readonly askedBy: string | null;
  readonly main: Action | null;
  readonly soft: readonly Action[];
  /** The screen may be kept on, and the page may dim. */
  readonly isHelping: boolean;
}

const empty: View = {
  name: '',
  tone: 'away',
  helping: null,
  hasSettings: false,
  ring: null,
  headline: [],
  announcement: '',
  say: [],
  points: [],
  hasRules: false,
  notes: [],
  facts: [],
  askedBy: null,
  main: null,
  soft: [],
  isHelping: false,
};

/** A view of what it has; everything else is not there. */
export function viewOf(parts: Partial<View> & Pick<View, 'name' | 'headline'>): View {
  const announcement = plain(parts.headline);
  return { ...empty, announcement, ...parts };
}

export function plain(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : piece.name)).join('');
}

export const leaveAction: Action = { label: 'Stop and leave', deed: 'leave' };
export const pauseAction: Action = { label: 'Pause', deed: 'pause' };
export const rulesAction: Action = { label: 'Change the rules', deed: 'settings' };
export const forgetAction: Action = { label: 'Forget this device', deed: 'forget' };
