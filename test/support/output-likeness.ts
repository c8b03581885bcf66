// Compares the output of a program with that in a document. Ids, times and values that depend on the
// machine are not compared; `…` in the document stands for anything within a line, and on a line of its own
// for any number of lines.

const STAND_INS: readonly (readonly [RegExp, string])[] = [
  // What a worker says on a machine without bubblewrap, which is no part of an example.
  [/^worker \d+: Tasks run behind SES and the permission flags of Node alone: .*\n/gm, ''],
  // What a coordinator in the background says while the disk is busy with something else: no part of one either.
  [/^\d\d:\d\d:\d\d A commit took .*: the disk is slow, or busy with something else\.\n/gm, ''],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'],
  [/"pid":\d+/g, '"pid":N'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME'],
  [/\b\d\d:\d\d:\d\d\.\d{3}\b/g, 'CLOCK'],
  [/\bjust now\b|\b\d+ (s|min|h|d) ago\b/g, 'AGO'],
  [/\b\d[\d.]* (ms|s|min|h|d|µs)\b( \d+ (s|min|h)\b)?/g, 'DURATION'],
  [/\b\d[\d ]* (MB|GB|kB)\b/g, 'SIZE'],
  [/\b\d+ %/g, 'PERCENT'],
  [/[ \t]+/g, ' '],
];

/** A regular expression that fits what the document says, in the words of `plain`. */
export function likeness(documented: string): RegExp {
  const whole = plain(documented).split('\n…\n').map(lines);
  return new RegExp(whole.join('\n(?:.*\n)*'));
}

function lines(documented: string): string {
  const parts = documented.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return parts.join('.*');
}

export function plain(text: string): string {
  return STAND_INS.reduce((so, [pattern, word]) => so.replaceAll(pattern, word), text).trimEnd();
}
