// Chips by state and kind with their counts, a search, and by what the list is grouped.

import { Glyph, KindGlyph } from '../../look/glyphs.tsx';
import { kindNames } from '../../look/states.ts';
import { stateInWords } from '../../text/worker-states.ts';
import { Chip } from '../../parts/choices.tsx';
import { setQuery } from '../../shell/address.ts';
import type { Worker } from '../../store/cluster.ts';
import { grouped } from '../../text/numbers.ts';
import { capitalized } from '../../text/words.ts';
import { chipsOf, labelsOf } from './worker-list.ts';
import type { WorkersView } from './workers-view.ts';

interface FiltersProps {
  readonly workers: readonly Worker[];
  readonly view: WorkersView;
}

export function Filters({ workers, view }: FiltersProps) {
  const { states, kinds } = chipsOf(workers, view);
  return (
    <div class="workers-filters">
      <div class="chips line" role="group" aria-label="State">
        <Chip isChosen={view.state === null} onPress={() => setQuery({ state: null })}>
          all <b>{grouped(workers.length)}</b>
        </Chip>
        {states.map(({ state, count }) => (
          <Chip
            key={state}
            isChosen={view.state === state}
            onPress={() => setQuery({ state: view.state === state ? null : state })}
          >
            <Glyph name={state} />
            {stateInWords(state)} <b>{grouped(count)}</b>
          </Chip>
        ))}
      </div>
      {kinds.length < 2 && view.kind === null ? null : (
        <div class="chips line" role="group" aria-label="Kind">
          {kinds.map(({ kind, count }) => (
            <Chip
              key={kind}
              isChosen={view.kind === kind}
              onPress={() => setQuery({ kind: view.kind === kind ? null : kind })}
            >
              <KindGlyph kind={kind} />
              {capitalized(kindNames[kind].many)} <b>{grouped(count)}</b>
            </Chip>
          ))}
        </div>
      )}
      {view.labels.length === 0 ? null : (
        <div class="chips line" role="group" aria-label="Labels">
          {view.labels.map((label) => (
            <Chip key={label} isChosen onPress={() => setQuery({ label: null })}>
              {label}
            </Chip>
          ))}
        </div>
      )}
    </div>
  );
}

export function Search({ workers, view }: FiltersProps) {
  return (
    <span class="workers-find">
      <input
        class="input"
        type="search"
        placeholder="Name, id or label"
        aria-label="Find workers in the list"
        value={view.find}
        onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
      />
      <Grouped workers={workers} view={view} />
    </span>
  );
}

function Grouped({ workers, view }: FiltersProps) {
  const labels = labelsOf(workers);
  return (
    <select
      class="input"
      aria-label="Group the list"
      value={view.grouping}
      onChange={({ currentTarget }) =>
        setQuery({ group: currentTarget.value === 'none' ? null : currentTarget.value })
      }
    >
      <option value="none">One list</option>
      <option value="kind">By kind</option>
      <option value="state">By state</option>
      {labels.map((label) => (
        <option key={label} value={`label:${label}`}>{`By ${label}`}</option>
      ))}
    </select>
  );
}
