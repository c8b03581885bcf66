// The agent of a browser worker: hears the page, keeps the rules of the owner, and lives as a worker from the
// consent of a person until it is told to leave. Before that nothing runs and nobody is spoken to, but for what
// the link is about.

import type { WorkerEnd } from '../agent.ts';
import { exitCodes } from '../machine/machine.ts';
import { DeviceClock } from './device-clock.ts';
import { DeviceIdentity } from './device-identity.ts';
import { DeviceLife, type FrameAnswer, type FrameOrder, type LifePorts } from './device-life.ts';
import { DeviceNotice } from './device-notice.ts';
import type { DevicePorts } from './device-ports.ts';
import { phaseNow, stateNow } from './device-state.ts';
import { DeviceStates } from './device-states.ts';
import { DeviceStorage, type KeptThings, nothingKept } from './device-storage.ts';
import { DoneTally } from './done-tally.ts';
import { askOfLink } from './link-says.ts';
import { readRules, slotsMaxOf } from './owner-rules.ts';
import { OwnerWishes } from './owner-wishes.ts';
import type {
  BeginOptions,
  DeviceEnd,
  DeviceState,
  LinkSays,
  OwnerRules,
  PageSigns,
  ToAgent,
  Withheld,
} from './page-messages.ts';
import { TicketOffice } from './ticket-socket.ts';

const tickMs = 500;
const tallyEveryMs = 10_000;
/** Whether another tab still helps; where there are locks, that itself waits for three seconds. */
const lookAgainMs = 1_000;
/** Of what a person is told at the end. */
const longestDetail = 1000;
/** Numbers of the frames of one life. */
const framesPerLife = 1_000_000;

export class DeviceAgent {
  readonly #ports: DevicePorts;
  readonly #storage: DeviceStorage;
  readonly #states: DeviceStates;
  readonly #clock: DeviceClock;
  readonly #wishes = new OwnerWishes();
  readonly #notice = new DeviceNotice();
  readonly #office = new TicketOffice();
  #tally: DoneTally;
  #about: BeginOptions | null = null;
  #linkToken: string | null = null;
  #link: LinkSays | null = null;
  #kept: KeptThings = nothingKept;
  /** The person wants it to work: from `begin` to the end. */
  #isWanted = false;
  #isPageClosed = false;
  #isAwaitingTab = false;
  #life: DeviceLife | null = null;
  #lives = 0;
  #ticking: ReturnType<typeof setInterval> | null = null;
  #tallySavedAtMs = 0;

  constructor(ports: DevicePorts) {
    this.#ports = ports;
    this.#storage = new DeviceStorage(ports.entries, () => this.#look());
    this.#tally = new DoneTally(null, ports.epochMs());
    this.#clock = new DeviceClock(ports);
    this.#states = new DeviceStates(
      () => this.#state(),
      (state) => ports.tell({ type: 'state', state }),
      ports.monotonicMs,
    );
  }

  hear(message: ToAgent): void {
    switch (message.type) {
      case 'open':
        return void this.#open(message.token, message.about);
      case 'begin':
        return void this.#begin(message.rules);
      case 'signs':
        return this.#see(message.signs);
      case 'rules':
        return this.#useRules(message.rules);
      case 'pause':
      case 'go_on':
        return this.#pause(message.type === 'pause');
      case 'ignore_battery':
        this.#wishes.ignoreBattery(message.forMs, this.#ports.epochMs());
        return this.#judge();
      case 'leave':
        return this.#leave();
      case 'forget':
        return void this.#forget();
      case 'closing':
        return this.#close();
      case 'not_closed':
        return this.#comeBack();
      case 'frame_opened':
      case 'frame_failed':
        return this.#passFrame(message);
    }
  }

  /** Something went wrong that nothing has caught. */
  fault(detail: string): void {
    this.#end('fault', `Something went wrong on this device: ${detail}`);
    this.#life?.close();
    this.#life = null;
  }

  // ---- before it begins

  async #open(token: string | null, about: BeginOptions): Promise<void> {
    this.#about = about;
    this.#linkToken = token;
    const { wire, tab } = this.#ports;
    const [link, isElsewhere] = await Promise.all([
      askOfLink(token, wire.fetch),
      tab.isElsewhere(),
      this.#readKept(),
    ]);
    this.#link = link;
    this.#tellKnown(isElsewhere);
  }

  async #readKept(): Promise<void> {
    this.#kept = await this.#storage.read();
  }

  #tellKnown(isElsewhere: boolean): void {
    const about = this.#about;
    if (about === null) return;
    if (isElsewhere) void this.#tellWhenFree();
    this.#ports.tell({
      type: 'known',
      device: {
        rules: readRules(this.#wishes.rules ?? this.#kept.rules, about),
        slotsMax: slotsMaxOf(about),
        isMember: this.#kept.identity !== null,
        kept: this.#kept.reports.length,
        withheld: this.#withheld(),
        isElsewhere,
        coordinatorName: this.#kept.coordinatorName,
        link: this.#link,
      },
    });
  }

  /** A tab that is looked at may help as soon as the other one is closed. */
  async #tellWhenFree(): Promise<void> {
    if (this.#isAwaitingTab) return;
    this.#isAwaitingTab = true;
    while (await this.#ports.tab.isElsewhere()) {
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
    this.#isAwaitingTab = false;
    if (this.#isWanted) return;
    await this.#readKept();
    this.#tellKnown(false);
  }

  async #forget(): Promise<void> {
    if (this.#isWanted) return;
    await this.#storage.clear();
    this.#kept = nothingKept;
    this.#wishes.rules = null;
    this.#tally = new DoneTally(null, this.#ports.epochMs());
    this.#tellKnown(false);
  }

  // ---- from the consent on

  async #begin(rules: OwnerRules): Promise<void> {
    const about = this.#about;
    if (this.#isWanted || about === null) return;
    this.#isWanted = true;
    this.#wishes.rules = readRules(rules, about);
    this.#storage.saveRules(this.#wishes.rules);
    this.#notice.text = null;
    await this.#resume(about.isReload);
  }

  async #resume(isReload = true): Promise<void> {
    this.#ticking ??= setInterval(() => this.#tick(), tickMs);
    if (await this.#live(isReload)) return;
    // Not here: another tab does it.
    this.#stopTicking();
    this.#isWanted = false;
    this.#tellKnown(true);
  }

  /** False: another tab helps already. */
  async #live(isReload: boolean): Promise<boolean> {
    if (!(await this.#ports.tab.take())) return false;
    // The other tab may have worked since this one was opened. What has not answered then is not waited for again.
    if (!this.#storage.isWithheld) {
      await this.#storage.written();
      await this.#readKept();
    }
    const { identity, heldBefore, holding, isPaused, reports, tally } = this.#kept;
    const mayLive = this.#isWanted && !this.#isPageClosed && this.#life === null;
    if (!mayLive) {
      if (this.#life === null) this.#ports.tab.letGo();
      return true;
    }
    const isFirst = this.#lives === 0;
    if (isFirst) {
      this.#tally = new DoneTally(tally, this.#ports.epochMs());
      this.#tally.look(false, this.#ports.epochMs());
      // Whoever has begun by hand does not mean a pause of long ago.
      this.#wishes.isPaused ||= isReload && isPaused;
      this.#storage.savePaused(this.#wishes.isPaused);
    }
    // From here on only a proper closing leaves a mark again.
    this.#storage.saveHeld(null);
    this.#lives += 1;
    const life = new DeviceLife(
      {
        about: this.#about!,
        rules: () => this.#wishes.rules!,
        signs: () => this.#wishes.signs,
        identity: new DeviceIdentity(identity, this.#linkToken),
        storage: this.#storage,
        kept: reports,
        // The thread may have been ended before it could leave its own mark.
        heldBefore: heldBefore ?? (isFirst && this.#about!.wasClosed === true ? holding : []),
      },
      this.#lifePorts(),
    );
    this.#life = life;
    void life.done.then((end) => this.#lifeEnded(life, end));
    this.#wishes.rest = null;
    this.#judge();
    return true;
  }

  #lifePorts(): LifePorts {
    const { wire, createExecutor, createPayloads, random, probeMs, tell, epochMs } = this.#ports;
    const from = this.#lives * framesPerLife;
    return {
      createExecutor,
      createPayloads,
      random,
      probeMs,
      office: this.#office,
      wire: {
        ...wire,
        nowMs: () => this.#clock.nowMs(),
        onBytes: (bytes) => this.#tally.moved(bytes, epochMs()),
      },
      // Answers to orders of an earlier life must not be taken for those of this one.
      tellPage: (order: FrameOrder) => tell({ ...order, id: from + order.id }),
      log: (entry) => this.#notice.log(entry),
      heard: (event) => {
        if (event.type !== 'finished') return;
        const watts = this.#life?.telemetry.watts ?? null;
        for (const outcome of event.outcomes) this.#tally.ended(outcome, watts, epochMs());
      },
      changed: () => this.#look(),
    };
  }

  #passFrame(answer: FrameAnswer): void {
    const id = answer.id - this.#lives * framesPerLife;
    if (this.#life !== null && id > 0) return this.#life.heard({ ...answer, id });
    if (answer.type === 'frame_opened') answer.port.close();
  }

  // ---- rules

  #see(signs: PageSigns): void {
    const { isOnline, isVisible } = this.#wishes.signs;
    this.#wishes.signs = signs;
    this.#judge();
    // Behind a door that was shut a moment ago there may be somebody now.
    if ((signs.isOnline && !isOnline) || (signs.isVisible && !isVisible)) this.#life?.wake();
  }

  #useRules(rules: OwnerRules): void {
    if (this.#about === null) return;
    const before = this.#wishes.rules?.slots;
    this.#wishes.rules = readRules(rules, this.#about);
    this.#storage.saveRules(this.#wishes.rules);
    if (before !== this.#wishes.rules.slots) this.#life?.setSlots(this.#wishes.rules.slots);
    this.#judge();
  }

  #pause(isPaused: boolean): void {
    this.#wishes.isPaused = isPaused;
    this.#storage.savePaused(isPaused);
    this.#judge();
  }

  /** Whether it rests by now. */
  #judge(): void {
    const life = this.#life;
    if (life === null || this.#wishes.rules === null) return;
    const { isHandheld } = this.#about!;
    if (this.#wishes.judge(this.#wishes.rules, isHandheld, this.#ports.epochMs())) {
      life.rest(this.#wishes.rest);
    }
    this.#look();
  }

  // ---- time

  #tick(): void {
    const epochMs = this.#ports.epochMs();
    if (this.#clock.hasSlept()) this.#life?.wake();
    this.#wishes.look(epochMs);
    this.#tally.look((this.#life?.views.size ?? 0) > 0, epochMs);
    if (Math.abs(epochMs - this.#tallySavedAtMs) >= tallyEveryMs) {
      this.#tallySavedAtMs = epochMs;
      this.#storage.saveTally(this.#tally.kept(epochMs));
    }
    if (this.#life !== null) this.#storage.saveHolding(this.#life.holding());
    this.#judge();
  }

  #stopTicking(): void {
    clearInterval(this.#ticking ?? undefined);
    this.#ticking = null;
  }

  // ---- the end, or what may be one

  #leave(): void {
    if (!this.#isWanted) return;
    if (this.#life === null) return this.#end('left', hasLeft);
    this.#life.leave();
    this.#look();
  }

  #lifeEnded(life: DeviceLife, { code, reason }: WorkerEnd): void {
    if (this.#life !== life) return;
    this.#life = null;
    if (code === exitCodes.fault) return this.fault(reason);
    if (code !== exitCodes.left) return this.#end('refused', reason);
    if (life.isLeaving) return this.#end('left', hasLeft);
    // Whoever was still waiting had not been in.
    this.#end(life.isWaiting ? 'refused' : 'removed', this.#notice.removedBecause ?? reason);
  }

  #end(why: DeviceEnd['why'], detail: string): void {
    if (!this.#isWanted) return;
    this.#isWanted = false;
    this.#stopTicking();
    this.#saveTally();
    this.#storage.savePaused((this.#wishes.isPaused = false));
    this.#storage.saveHolding([]);
    this.#ports.tab.letGo();
    const end = {
      why,
      detail: detail.slice(0, longestDetail),
      session: { ...this.#tally.session },
    };
    this.#ports.tell({ type: 'ended', end });
  }

  /** The thread may be gone in a moment: what matters is said and written before this returns. */
  #close(): void {
    this.#isPageClosed = true;
    this.#stopTicking();
    const life = this.#life;
    this.#life = null;
    if (life !== null) {
      this.#storage.saveHeld(life.close());
      this.#saveTally();
      if (life.isLeaving) this.#isWanted = false;
    }
    this.#storage.flush();
    this.#ports.tab.letGo();
  }

  #comeBack(): void {
    if (!this.#isPageClosed) return;
    this.#isPageClosed = false;
    if (this.#isWanted) void this.#resume();
  }

  #saveTally(): void {
    this.#storage.saveTally(this.#tally.kept(this.#ports.epochMs()));
  }

  // ---- what the page is shown

  #look(): void {
    if (this.#isWanted && !this.#isPageClosed && this.#wishes.rules !== null) {
      this.#states.look(phaseNow({ life: this.#life, wishes: this.#wishes }));
    }
  }

  #state(): DeviceState {
    const { reports, coordinatorName } = this.#kept;
    const ofLink = this.#link?.ok === true ? this.#link.coordinatorName : null;
    return stateNow({
      life: this.#life,
      wishes: this.#wishes,
      tally: this.#tally,
      coordinatorName: ofLink ?? coordinatorName,
      kept: reports.length,
      notice: this.#notice.text,
      withheld: this.#withheld(),
      nowMs: this.#clock.nowMs(),
      epochMs: this.#ports.epochMs(),
    });
  }

  #withheld(): readonly Withheld[] {
    return this.#wishes.withheld(this.#storage.isWithheld, this.#ports.isSecure);
  }
}

const hasLeft = 'This device helps no more. What it was doing goes on elsewhere.';
