// A binary heap whose members know their place, so that one may be taken out of the middle, or moved,
// as fast as from the front.

export interface HeapMember {
  /** Place in the heap, -1 when it is in none. */
  position: number;
}

export class MemberHeap<M extends HeapMember> {
  private readonly members: M[] = [];
  private readonly isBefore: (a: M, b: M) => boolean;

  constructor(isBefore: (a: M, b: M) => boolean) {
    this.isBefore = isBefore;
  }

  get size(): number {
    return this.members.length;
  }

  get first(): M | undefined {
    return this.members[0];
  }

  /** Puts it where it belongs, whether it is in the heap or not. */
  place(member: M): void {
    if (member.position < 0) {
      member.position = this.members.length;
      this.members.push(member);
    }
    this.up(member);
    this.down(member);
  }

  /** Nothing happens when it is in no heap. */
  remove(member: M): void {
    const hole = member.position;
    if (hole < 0) return;
    member.position = -1;
    const last = this.members.pop()!;
    if (last === member) return;
    this.members[hole] = last;
    last.position = hole;
    this.up(last);
    this.down(last);
  }

  /** In heap order. */
  values(): readonly M[] {
    return this.members;
  }

  private up(moved: M): void {
    const { members } = this;
    let child = moved.position;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = members[parent]!;
      if (!this.isBefore(moved, above)) break;
      members[child] = above;
      above.position = child;
      child = parent;
    }
    members[child] = moved;
    moved.position = child;
  }

  private down(moved: M): void {
    const { members } = this;
    let parent = moved.position;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= members.length) break;
      const right = members[child + 1];
      if (right !== undefined && this.isBefore(right, members[child]!)) child++;
      const below = members[child]!;
      if (!this.isBefore(below, moved)) break;
      members[parent] = below;
      below.position = parent;
      parent = child;
    }
    members[parent] = moved;
    moved.position = parent;
  }
}
