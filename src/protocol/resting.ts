// A worker *rests* while the rules of its owner, or its device, keep it from working: it stays connected,
// is given nothing and pays nothing for it. It says so itself, in every `hello` and heartbeat for as long
// as it lasts, so that whoever hears nothing of a rest knows that it is over.

/** A field of `hello` and of heartbeats; absent when the worker works. */
export interface RestField {
  readonly rest?: Rest;
}

export interface Rest {
  /** Why, in a word: one of `restTexts`, or one that a newer worker knows. */
  readonly because: string;
}

/** The form of `because`. */
export const restWord = /^[a-z_]{1,32}$/;

/** What the known words mean, to follow "resting: ". */
const restTexts: Readonly<Record<string, string>> = {
  paused: 'paused by its owner',
  charging: 'only while charging',
  battery: 'battery too low',
  metered: 'not on a metered connection',
  hours: 'outside the hours of its owner',
  hidden: 'its page is in the background',
};

/** The word in words that people read; a word that is not known stands for itself. */
export function restText(because: string): string {
  const known = Object.hasOwn(restTexts, because) ? restTexts[because] : undefined;
  return known ?? because.replaceAll('_', ' ');
}

export function restSaid({ rest }: RestField): string | null {
  return rest?.because ?? null;
}
