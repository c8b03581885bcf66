// Task code may call a function of the host when its stack is nearly full. An overflow inside of Node's
// timers would leave them half changed for all jobs of the child: a list of timers that no clock looks
// at any more, so that a delay of that many milliseconds is never over. So room is asked for before.

/** 64 KiB: Node's own calls take a few, but the engine may have to compile them again. */
const room: readonly undefined[] = Array.from<undefined>({ length: 8192 });
const { apply } = Reflect;

function takeRoom(): void {}

/** Throws a RangeError when the stack has no room for a call of Node's. */
export function claimStackRoom(): void {
  // The arguments are put on the stack, or the engine refuses.
  apply(takeRoom, undefined, room);
}
