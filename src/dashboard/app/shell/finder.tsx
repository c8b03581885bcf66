// Finds jobs and workers by a part of what people call them.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Glyph, type GlyphName, Icon, icons } from '../look/glyphs.tsx';
import { typeInWords } from '../look/states.ts';
import { stateOf } from '../text/worker-states.ts';
import type { JobHead, Worker } from '../store/cluster.ts';
import { read } from '../store/endpoint.ts';
import { nameOf, shortId } from '../text/words.ts';
import { go } from './address.ts';
import { useKeys } from './keys.ts';

interface Found {
  readonly href: string;
  readonly glyph: GlyphName;
  readonly name: string;
  readonly what: string;
}

const afterMs = 150;
const mostOfEach = 6;

export function Finder() {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<readonly Found[] | null>(null);
  const [chosen, setChosen] = useState(0);
  useKeys({ '/': () => input.current?.focus() });

  useEffect(() => {
    const wanted = text.trim();
    setChosen(0);
    if (wanted === '') return setFound(null);
    const end = new AbortController();
    const timer = setTimeout(() => {
      find(wanted, end.signal).then(setFound, () => {});
    }, afterMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [text]);

  const open = (one: Found | undefined): void => {
    if (one === undefined) return;
    setText('');
    input.current?.blur();
    go(one.href);
  };
  const press = (event: KeyboardEvent): void => {
    const count = found?.length ?? 0;
    if (event.key === 'ArrowDown') setChosen((place) => Math.min(count - 1, place + 1));
    else if (event.key === 'ArrowUp') setChosen((place) => Math.max(0, place - 1));
    else if (event.key === 'Enter') open(found?.[chosen]);
    else if (event.key === 'Escape') input.current?.blur();
    else return;
    event.preventDefault();
  };
  const isShown = isOpen && found !== null;
  return (
    <div class="finder" role="search">
      <Icon path={icons.find} size={14} />
      <input
        ref={input}
        type="text"
        role="combobox"
        placeholder="Find a job or a worker"
        aria-label="Find a job or a worker"
        aria-expanded={isShown}
        aria-controls="found"
        aria-activedescendant={isShown && found.length > 0 ? `found-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <kbd aria-hidden="true">/</kbd>
      {isShown ? (
        <div class="found" id="found" role="listbox" aria-label="Found">
          {found.length === 0 ? <p class="mute">{`Nothing is called "${text.trim()}".`}</p> : null}
          {found.map((one, place) => (
            <div
              key={one.href}
              id={`found-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === chosen}
              // The focus stays in the field until the press is over; a finger that scrolls opens nothing.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => open(one)}
              onPointerEnter={() => setChosen(place)}
            >
              <Glyph name={one.glyph} />
              <span class="cut">{one.name}</span>
              <span class="mute nowrap">{one.what}</span>
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}

async function find(wanted: string, signal: AbortSignal): Promise<readonly Found[]> {
  const [jobs, workers] = await Promise.all([
    read<readonly JobHead[]>('/api/jobs', { heads: true, q: wanted, limit: mostOfEach }, signal),
    read<readonly Worker[]>('/api/workers', {}, signal),
  ]);
  const part = wanted.toLowerCase();
  const named = workers.filter(
    (worker) => worker.id.includes(part) || nameOf(worker).toLowerCase().includes(part),
  );
  return [
    ...jobs.map((job) => ({
      href: `/jobs/${encodeURIComponent(job.id)}`,
      glyph: job.status,
      name: nameOf(job),
      what: `job ${shortId(job.id)}`,
    })),
    ...named.slice(0, mostOfEach).map((worker) => ({
      href: `/workers/${encodeURIComponent(worker.id)}`,
      glyph: stateOf(worker),
      name: nameOf(worker),
      what: `worker, ${typeInWords(worker.type)}`,
    })),
  ];
}
