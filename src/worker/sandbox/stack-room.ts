// Task code may call a function of the host when its stack is nearly full. An overflow inside of Node's
// timers would leave them half changed for all jobs of the child: timers with that delay would never
// fire again. So the stack is checked for room before.

/** 64 KiB: Node's own calls need a few KiB, but the engine may have to compile them again. */
const room: readonly undefined[] = Array.from<undefined>({ length: 8192 });
const { apply } = Reflect;

function takeRoom(): void {}

/** Throws a RangeError when the stack has no room for a call of Node's. */
export function claimStackRoom(): void {
  // The engine puts the arguments on the stack, or throws when there is no room.
  apply(takeRoom, undefined, room);
}
