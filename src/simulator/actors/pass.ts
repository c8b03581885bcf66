// What a device can show at the door, in worlds with links: the token that it got when it registered, which it keeps
// when it is cleared away, or else the link that somebody has handed to it.

import type { Door } from '../door.ts';

export class Pass {
  /** Nothing that it has lets it in. Where nobody is asked, nobody is out. */
  isOut: boolean;
  private readonly door: Pick<Door, 'isGuarded'>;
  private link: string | null = null;
  private own: string | null = null;
  /** A token of its own that was refused. */
  private bad: string | null = null;

  constructor(door: Pick<Door, 'isGuarded'>) {
    this.door = door;
    this.isOut = door.isGuarded;
  }

  /** A link from somebody: what it had before is not shown any more. */
  take(link: string): void {
    this.link = link;
    this.own = null;
    this.isOut = false;
  }

  /** A token of its own. */
  receive(own: string): void {
    this.own = own;
    this.isOut = false;
  }

  /** `ofIdentity`: the token of the identity that it has now. */
  shown(ofIdentity: string | null): string | null {
    if (!this.door.isGuarded) return null;
    const own = ofIdentity ?? this.own;
    return own === null || own === this.bad ? this.link : own;
  }

  /** After a refusal: whether it has something else to show. */
  mayTryAgain(shown: string | null): boolean {
    if (this.link === null || shown === this.link) return false;
    this.bad = shown;
    return true;
  }

  refused(): void {
    this.isOut = this.door.isGuarded;
  }
}
