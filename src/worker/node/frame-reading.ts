// Reads a frame of the coordinator. The inputs and states of an assignment are only handed on, so where they are long
// they are not parsed: the scanner finds them, and they stay the text that was sent.

import { type DecodedFrame, decodeFrame, messagesOf, RawJson } from '../../protocol/codec.ts';
import { everyElement, Place } from '../../protocol/json-places.ts';
import { type Cut, JsonScanner } from '../../protocol/json-scanner.ts';

/** Bytes of an assignment. A shorter one is parsed sooner than it is scanned. */
const longAssignment = 4096;

const ofMessage = [
  ['assignments', everyElement, 'input'],
  ['assignments', everyElement, 'checkpoint', 'state'],
] as const;

/** A frame is one message, or an array of them. */
const places = Place.tree(
  ofMessage.flatMap((steps) => [
    { steps, cut: 'value' as const },
    { steps: [everyElement, ...steps], cut: 'value' as const },
  ]),
);

/** The messages of a frame: inputs and states are values, or `RawJson`. */
export function readFrame(bytes: Buffer): DecodedFrame {
  return (isLong(bytes) ? cutFrame(bytes) : null) ?? decodeFrame(bytes.toString('utf8'));
}

/** Whether it pays to scan it: a guess, from how far its first two inputs are apart. */
function isLong(bytes: Buffer): boolean {
  if (bytes.length < longAssignment) return false;
  const first = bytes.indexOf('"input":', 0, 'latin1');
  if (first < 0) return false;
  const second = bytes.indexOf('"input":', first + 1, 'latin1');
  return (second < 0 ? bytes.length : second) - first >= longAssignment;
}

/** Null for a frame with which something is wrong: JSON.parse has the last word about it. */
function cutFrame(bytes: Buffer): DecodedFrame | null {
  const scanner = new JsonScanner(bytes, places);
  scanner.scan();
  const { problem, cuts } = scanner;
  if (problem !== null || cuts.some(({ isTooDeep }) => isTooDeep)) return null;
  const frame = messagesOf(JSON.parse(outlineOf(bytes, cuts)));
  if (frame.ok) for (const message of frame.messages) putBack(message as Fields, bytes, cuts);
  return frame;
}

type Fields = Record<string, unknown>;

/** The text with the number of each cut in its place. */
function outlineOf(bytes: Buffer, cuts: readonly Cut[]): string {
  let text = '';
  let from = 0;
  for (let i = 0; i < cuts.length; i++) {
    const cut = cuts[i]!;
    text += bytes.toString('utf8', from, cut.from) + String(i);
    from = cut.to;
  }
  return text + bytes.toString('utf8', from);
}

/** Whatever stands at one of the places was cut out, so the number of a cut stands there. */
function putBack({ assignments }: Fields, bytes: Buffer, cuts: readonly Cut[]): void {
  if (!Array.isArray(assignments)) return;
  const textAt = (index: unknown) => {
    const { from, to } = cuts[index as number]!;
    return new RawJson(bytes.toString('utf8', from, to));
  };
  for (const assignment of assignments as readonly (Fields | null)[]) {
    if (assignment === null) continue;
    if (Object.hasOwn(assignment, 'input')) assignment['input'] = textAt(assignment['input']);
    const checkpoint = assignment['checkpoint'] as Fields | null | undefined;
    if (typeof checkpoint !== 'object' || checkpoint === null) continue;
    if (Object.hasOwn(checkpoint, 'state')) checkpoint['state'] = textAt(checkpoint['state']);
  }
}
