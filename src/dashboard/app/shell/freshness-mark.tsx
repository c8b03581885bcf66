// How old is what the page shows, and a button that holds it.

import { Icon, icons } from '../look/glyphs.tsx';
import { Button } from '../parts/button.tsx';
import { pausePage, resumePage } from '../store/cluster.ts';
import {
  changesWaiting,
  freshness,
  interruption,
  lastSaidMs,
  lateMs,
  pausedAtMs,
  silenceSeconds,
} from '../store/freshness.ts';
import { tokenAsked } from '../store/session.ts';
import { clock, wholeDuration } from '../text/times.ts';
import { counted } from '../text/words.ts';
import { beginAnew, hasNewBuild } from './new-build.ts';

export function togglePause(): void {
  if (pausedAtMs.value === null) pausePage();
  else resumePage();
}

export function FreshnessMark() {
  const kind = freshness.value;
  const isPaused = kind === 'paused';
  return (
    <div class={`freshness ${kind}`}>
      {/* Only a change of kind is announced, not each second. */}
      <span class="unseen" role="status">
        {spoken[kind]}
      </span>
      <span class="mark" aria-hidden="true" title={interruption.value ?? undefined}>
        <i />
        <Words />
      </span>
      <button
        type="button"
        aria-label={isPaused ? 'Go on with live updates' : 'Pause live updates'}
        title={isPaused ? 'Go on (p)' : 'Hold what is shown (p)'}
        onClick={togglePause}
      >
        <Icon path={isPaused ? icons.play : icons.pause} size={14} />
      </button>
    </div>
  );
}

const spoken = {
  live: 'Live',
  paused: 'Paused',
  silent: 'No news from the coordinator',
  reconnecting: 'Reconnecting',
  reading: 'Reading anew',
} as const;

function Words() {
  switch (freshness.value) {
    case 'live':
      // Something is heard each second: a number would say nothing.
      return <>Live</>;
    case 'paused':
      return (
        <>
          Paused{' '}
          <em class="long">
            {clock(new Date(pausedAtMs.value!))}
            {changesWaiting.value === 0
              ? ''
              : ` · ${counted(changesWaiting.value, 'change waits', 'changes wait')}`}
          </em>
        </>
      );
    case 'silent':
      return (
        <>
          No news <em class="long">for {wholeDuration(silenceSeconds.value)}</em>
        </>
      );
    case 'reconnecting':
      return <>Reconnecting</>;
    case 'reading':
      return <>Reading anew</>;
  }
}

const newSeconds = 5;

/** What is seen is of then: a line across the top of the page. */
export function StaleLine() {
  const kind = freshness.value;
  if (tokenAsked.value !== null) return null;
  if (kind !== 'silent' && kind !== 'reconnecting') return hasNewBuild.value ? <NewBuild /> : null;
  // A page that has just been opened shows nothing yet that could be old.
  if (interruption.value === null && silenceSeconds.value < newSeconds) return null;
  const saidAt = clock(new Date(lastSaidMs.value));
  const why =
    interruption.value ??
    (lateMs.value > 0 ? 'What comes is held on its way.' : 'The coordinator says nothing.');
  return (
    <aside class="stale-line" aria-label="How old this page is">
      {`What you see is of ${saidAt}. ${why} It goes on by itself.`}
    </aside>
  );
}

function NewBuild() {
  return (
    <aside class="stale-line row" aria-label="Update">
      The coordinator was updated, and this page is the one of before.
      <Button isSmall onPress={beginAnew}>
        Load the page again
      </Button>
    </aside>
  );
}
