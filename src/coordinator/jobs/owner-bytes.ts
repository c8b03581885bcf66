// How much an owner keeps, with what is on its way in: bytes that are being sent count at once, so that many who send
// at the same time cannot pass together. What its jobs keep is a counter of the core; its blobs are summed by the
// store.

import { countersOf } from '../../core/owner.ts';
import type { State } from '../../core/state.ts';
import type { BlobReading } from '../../store/reading.ts';

interface Account {
  /** Holdings that refer to it; without any it is forgotten. */
  holdings: number;
  /** Bytes of blobs as last read, and how much had landed when that read began. */
  blobs: number;
  covered: number;
  /** Bytes of blobs that were stored, since the account is there. */
  landed: number;
  /** Bytes that are being sent, or wait for the commit of their job. */
  onTheWay: number;
}

/** Of one submission or upload; `leave` it once. */
export interface Holding {
  /** All that the owner keeps, with what is on its way. */
  readonly used: number;
  readonly take: (bytes: number) => void;
  /** What was taken is a blob in the store now. */
  readonly land: () => void;
  /** What was taken is counted with its job now, or never will be. */
  readonly settle: () => void;
  readonly leave: () => void;
}

export class OwnerBytes {
  private readonly state: State;
  private readonly store: Pick<BlobReading, 'blobBytesOf'>;
  private readonly accounts = new Map<string, Account>();

  constructor(state: State, store: Pick<BlobReading, 'blobBytesOf'>) {
    this.state = state;
    this.store = store;
  }

  async hold(owner: string): Promise<Holding> {
    const account = this.accounts.get(owner) ?? emptyAccount();
    this.accounts.set(owner, account);
    account.holdings++;
    try {
      await this.read(owner, account);
    } catch (error) {
      this.leave(owner, account);
      throw error;
    }
    return this.holding(owner, account);
  }

  private holding(owner: string, account: Account): Holding {
    const { state } = this;
    let taken = 0;
    const settle = () => {
      account.onTheWay -= taken;
      taken = 0;
    };
    return {
      get used() {
        const { blobs, landed, covered, onTheWay } = account;
        return countersOf(state, owner).storedBytes + blobs + landed - covered + onTheWay;
      },
      take: (bytes) => {
        taken += bytes;
        account.onTheWay += bytes;
      },
      land: () => {
        account.landed += taken;
        settle();
      },
      settle,
      leave: () => {
        settle();
        this.leave(owner, account);
      },
    };
  }

  /** What lands while the store is asked may be in its answer or not, and is counted beside it. */
  private async read(owner: string, account: Account): Promise<void> {
    const { landed } = account;
    const blobs = await this.store.blobBytesOf(owner);
    if (landed < account.covered) return;
    account.blobs = blobs;
    account.covered = landed;
  }

  private leave(owner: string, account: Account): void {
    account.holdings--;
    if (account.holdings === 0) this.accounts.delete(owner);
  }
}

function emptyAccount(): Account {
  return { holdings: 0, blobs: 0, covered: 0, landed: 0, onTheWay: 0 };
}
