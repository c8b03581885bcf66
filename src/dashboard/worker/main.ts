// The page of a browser that helps: takes the secret out of the address, starts the agent, gives it what only a
// window has, and shows what it says. Decides nothing about tasks.

import type {
  BeginOptions,
  DeviceEnd,
  DeviceState,
  FromAgent,
  KnownDevice,
  OwnerRules,
  ToAgent,
} from '../../worker/browser/page-messages.ts';
import { deviceFacts, nounOf } from './device.ts';
import { Dimmer } from './dim.ts';
import { Frames } from './frames.ts';
import { readLink } from './link.ts';
import { dropOfflinePage, keepOfflinePage } from './offline-page.ts';
import { SignsWatch } from './page-signs.ts';
import { Screen } from './screen.ts';
import { openSettings } from './settings.ts';
import { ask } from './sheet.ts';
import { ended, fault } from './states/farewell.ts';
import { beforeBegin, declined, forgotten, loading } from './states/invitation.ts';
import type { Place } from './states/place.ts';
import { stateView } from './states/state-view.ts';
import { TabMemory } from './tab-memory.ts';
import type { Deed, View } from './view.ts';
import { openWhatRuns } from './what-runs.ts';
import { counted } from './wording.ts';

const memory = new TabMemory(() => sessionStorage);
const lasting = new TabMemory(() => localStorage);
const link = takeLink();

const hourMs = 3_600_000;
/** Shorter than this between two tasks, it is at work. */
const lullMs = 2_000;
const loadingAfterMs = 300;
const answerWithinMs = 20_000;

function takeLink(): ReturnType<typeof readLink> {
  const found = readLink(location.href);
  // Out of the address and its history before anything else.
  history.replaceState(null, '', '/worker');
  if (found.kind === 'token') memory.clear();
  const kept = memory.read('token');
  if (found.kind === 'none' && kept !== null) return { kind: 'token', token: kept };
  if (found.kind === 'token') memory.write('token', found.token);
  return found;
}

class WorkerPage {
  readonly #noun = nounOf(navigator);
  readonly #signs = new SignsWatch(window, (signs) => {
    // A system that puts a page out of sight away does not tell it.
    if (this.#place.isHandheld) this.#markClosed(!signs.isVisible);
    this.#tell({ type: 'signs', signs });
  });
  readonly #hasSigns = this.#signs.start();
  readonly #screen: Screen;
  readonly #dimmer = new Dimmer();
  readonly #frames = new Frames({
    address: '/worker/frame',
    code: fetchThread,
    tellAgent: (message, ports) => this.#tell(message, ports),
  });
  #agent: Worker | null = null;
  #known: KnownDevice | null = null;
  #state: DeviceState | null = null;
  #rules: OwnerRules | null = null;
  #end: DeviceEnd | null = null;
  #workedAtMs = -Infinity;
  #lullTimer = 0;
  #waitTimer = 0;
  /** What comes after the answer that is awaited. */
  #then: 'ask' | 'begin' | 'forget' | 'forgotten' = 'ask';

  constructor(root: HTMLElement) {
    this.#screen = new Screen(root, {
      press: (deed) => this.#press(deed),
      changeRules: (part) => this.#changeRules({ ...this.#rules!, ...part }),
    });
    addEventListener('pagehide', () => {
      this.#markClosed(true);
      this.#tell({ type: 'closing' });
      // What is over by now cannot be given back, and that harms nothing.
      const last = this.#state?.lastRequest;
      if (last) fetch(last.path, last.how).catch(() => {});
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return;
      this.#markClosed(false);
      this.#tell({ type: 'not_closed' });
    });
  }

  start(): void {
    const wasHelping = memory.read('helping') !== null && link.kind !== 'damaged';
    setTimeout(() => {
      if (this.#known === null && this.#end === null) this.#show(loading());
    }, loadingAfterMs);
    this.#startAgent(wasHelping);
    if (wasHelping) this.#then = 'begin';
  }

  #startAgent(isReload: boolean): void {
    this.#agent?.terminate();
    this.#frames.closeAll();
    this.#known = null;
    this.#state = null;
    this.#end = null;
    const agent = new Worker('/worker/agent.js', { type: 'module', name: 'muster-agent' });
    this.#agent = agent;
    agent.addEventListener('message', ({ data }: MessageEvent<FromAgent>) => {
      if (agent === this.#agent) this.#hear(data);
    });
    agent.addEventListener('error', (event) => {
      event.preventDefault();
      if (agent === this.#agent) this.#fail(event.message ?? 'Its program could not be loaded.');
    });
    const about: BeginOptions = {
      ...deviceFacts(navigator),
      version: document.documentElement.dataset['version'] ?? 'unknown',
      isReload,
      wasClosed: lasting.read('closed') !== null || wasDiscarded(),
    };
    this.#tell({ type: 'open', token: link.kind === 'token' ? link.token : null, about });
    clearTimeout(this.#waitTimer);
    this.#waitTimer = setTimeout(
      () => this.#fail('This browser has not answered for a long time.'),
      answerWithinMs,
    );
  }

  #hear(message: FromAgent): void {
    switch (message.type) {
      case 'known':
        return void this.#learn(message.device);
      case 'state':
        return this.#follow(message.state);
      case 'open_frame':
      case 'close_frame':
        return this.#frames.heard(message);
      case 'ended':
        return this.#finish(message.end);
    }
  }

  async #learn(device: KnownDevice): Promise<void> {
    clearTimeout(this.#waitTimer);
    this.#known = device;
    this.#rules = device.rules;
    if (this.#then === 'forgotten') {
      this.#then = 'ask';
      await dropOfflinePage();
      memory.clear();
      return this.#show(forgotten(this.#place));
    }
    // What it is told of the device comes before it is asked to begin.
    await this.#hasSigns;
    this.#tell({ type: 'signs', signs: this.#signs.signs });
    const isInvited = device.isMember || device.link?.ok === true;
    if (this.#then === 'begin' && isInvited && !device.isElsewhere) return this.#begin();
    this.#then = 'ask';
    this.#show(beforeBegin(device, link.kind === 'damaged', this.#place));
  }

  #begin(): void {
    const wasPaused = memory.read('paused') !== null;
    this.#then = 'ask';
    lasting.write('closed', null);
    memory.write('helping', 'yes');
    this.#tell({ type: 'begin', rules: this.#rules! });
    // Paused by hand, it goes on by hand, whatever has become of the page meanwhile.
    if (wasPaused) this.#tell({ type: 'pause' });
    keepOfflinePage();
  }

  #follow(state: DeviceState): void {
    if (this.#end !== null) return;
    this.#state = state;
    this.#rules = state.rules;
    // It has been let in: the device has credentials of its own by now.
    if (state.workerId !== null) memory.write('token', null);
    this.#showState(state);
  }

  #showState(state: DeviceState): void {
    const place = this.#place;
    clearTimeout(this.#lullTimer);
    if (state.phase === 'working') this.#workedAtMs = place.nowMs;
    const lullLeftMs = this.#workedAtMs + lullMs - place.nowMs;
    const isLull = state.phase === 'idle' && lullLeftMs > 0;
    // Between two short tasks the page says that it works, and does not flicker.
    if (isLull) this.#lullTimer = setTimeout(() => this.#showState(state), lullLeftMs);
    this.#show(stateView(isLull ? { ...state, phase: 'working' } : state, place));
  }

  #finish(end: DeviceEnd): void {
    this.#end = end;
    clearTimeout(this.#lullTimer);
    clearTimeout(this.#waitTimer);
    this.#frames.closeAll();
    memory.write('helping', null);
    memory.write('paused', null);
    if (this.#then === 'forget') {
      this.#then = 'forgotten';
      return this.#tell({ type: 'forget' });
    }
    this.#show(ended(end, this.#coordinatorName));
  }

  /** The agent itself is gone: nothing is shown that it might still do. */
  #fail(detail: string): void {
    this.#agent?.terminate();
    this.#agent = null;
    this.#end = { why: 'fault', detail, session: nothingDone };
    clearTimeout(this.#lullTimer);
    clearTimeout(this.#waitTimer);
    this.#frames.closeAll();
    this.#show(fault(detail));
  }

  #press(deed: Deed): void {
    switch (deed) {
      case 'start':
        return this.#begin();
      case 'not_now':
        memory.clear();
        // What is held in memory would be lost with the page, not kept.
        return this.#show(declined(this.#place));
      case 'pause':
        memory.write('paused', 'yes');
        return this.#tell({ type: 'pause' });
      case 'go_on':
        memory.write('paused', null);
        return this.#tell({ type: 'go_on' });
      case 'ignore_battery':
        return this.#tell({ type: 'ignore_battery', forMs: hourMs });
      case 'leave':
        return this.#tell({ type: 'leave' });
      case 'settings':
        return this.#openSettings();
      case 'what_runs':
        return openWhatRuns(this.#coordinatorName, this.#state?.tasks ?? []);
      case 'forget':
        return void this.#forget();
      case 'again':
        memory.write('paused', null);
        this.#then = 'begin';
        return this.#startAgent(false);
      case 'reload':
        if (link.kind === 'token') memory.write('token', link.token);
        return location.reload();
    }
  }

  #openSettings(): void {
    if (this.#rules === null) return;
    openSettings({
      rules: this.#rules,
      slotsMax: this.#known?.slotsMax ?? this.#rules.slots,
      withheld: this.#place.withheld,
      noun: this.#noun,
      asks: [this.#coordinatorName, location.host],
      changed: (rules) => this.#changeRules(rules),
      showWhatRuns: () => this.#press('what_runs'),
      forget: () => void this.#forget(),
    });
  }

  #changeRules(rules: OwnerRules): void {
    this.#rules = rules;
    if (this.#state !== null && this.#end === null) this.#tell({ type: 'rules', rules });
    else if (this.#known !== null) {
      this.#known = { ...this.#known, rules };
      this.#show(beforeBegin(this.#known, link.kind === 'damaged', this.#place));
    }
  }

  async #forget(): Promise<void> {
    const kept = this.#state?.kept ?? this.#known?.kept ?? 0;
    const lost =
      kept === 0 ? '' : ` ${counted(kept, 'result')} that could not be handed in will be lost.`;
    const isSure = await ask({
      title: 'Forget this device?',
      text: `It stops helping, and this browser forgets its name and rules.${lost} To help again, it needs a new link.`,
      yes: 'Forget this device',
      no: 'Keep it',
    });
    if (!isSure) return;
    if (this.#state !== null && this.#end === null) {
      this.#then = 'forget';
      return this.#tell({ type: 'leave' });
    }
    this.#then = 'forgotten';
    this.#tell({ type: 'forget' });
  }

  #show(view: View): void {
    this.#screen.show(view, this.#place, this.#rules);
    this.#signs.keepAwake(view.isHelping);
    this.#dimmer.allow(view.isHelping || view.tone === 'rest');
  }

  get #coordinatorName(): string {
    const known = this.#known?.link?.ok === true ? this.#known.link.coordinatorName : null;
    return this.#state?.coordinatorName ?? known ?? this.#known?.coordinatorName ?? location.host;
  }

  get #place(): Place {
    const ofAgent = this.#state?.withheld ?? this.#known?.withheld ?? [];
    return {
      noun: this.#noun,
      isHandheld: this.#noun !== 'computer',
      host: location.host,
      // What only a window has, the window knows best.
      withheld: [...this.#signs.withheld, ...ofAgent.filter((each) => each === 'storage')],
      nowMs: Date.now(),
    };
  }

  /** Written at once: the agent may be ended before it has heard that the page is closed. */
  #markClosed(isClosed: boolean): void {
    const isHelping = this.#state !== null && this.#end === null;
    if (isHelping) lasting.write('closed', isClosed ? 'yes' : null);
  }

  #tell(message: ToAgent, ports: readonly MessagePort[] = []): void {
    this.#agent?.postMessage(message, [...ports]);
  }
}

const nothingDone = { tasks: 0, failed: 0, helpedMs: 0, bytes: 0, energyJoules: null };

/** The browser has put the page away to save memory, and loaded it anew. */
function wasDiscarded(): boolean {
  return (document as { readonly wasDiscarded?: boolean }).wasDiscarded === true;
}

async function fetchThread(): Promise<string> {
  const response = await fetch('/worker/thread.js');
  if (!response.ok)
    throw new Error(`The program of tasks could not be fetched (${response.status}).`);
  return response.text();
}

// Another link, opened in this tab: everything begins anew with it.
addEventListener('hashchange', () => location.reload());
new WorkerPage(document.querySelector('main')!).start();
