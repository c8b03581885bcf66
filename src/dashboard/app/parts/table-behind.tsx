// Behind every picture are its numbers: the same rows as a table, which can be sorted and copied.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CopyButton } from './copy-line.tsx';
import { type CsvCell, csvOf } from './csv.ts';
import { type Column, type SortOrder, Table } from './table.tsx';

export interface BehindColumn<Row> extends Column<Row> {
  readonly head: string;
  /** In the copy; absent: what sorts the column. */
  readonly csv?: (row: Row) => CsvCell;
}

interface Behind<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly BehindColumn<Row>[];
}

interface Swap {
  /** In the panel of the picture. */
  readonly at: () => Element | null;
  readonly toggle: () => void;
}

const swaps: Swap[] = [];

/** The key: swaps the picture that is pointed at or has the focus, else the first of the page. */
export function swapTable(): void {
  const inPage = swaps.toSorted((a, b) => {
    const [x, y] = [a.at(), b.at()];
    return x !== null && y !== null && x.compareDocumentPosition(y) & 2 ? 1 : -1;
  });
  const isAt = ({ at }: Swap): boolean => {
    const panel = at()?.closest('.panel') ?? null;
    return panel !== null && (panel.matches(':hover') || panel.contains(document.activeElement));
  };
  (inPage.find(isAt) ?? inPage[0])?.toggle();
}

/** `button` belongs into the head of the panel; `table` takes the place of the picture while it is open. */
export function useTableBehind<Row>(behind: Behind<Row>): {
  readonly isOpen: boolean;
  readonly button: ComponentChildren;
  readonly table: ComponentChildren;
} {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const toggle = (): void => setOpen((before) => !before);
  useEffect(() => {
    const swap = { at: () => button.current, toggle };
    swaps.push(swap);
    return () => {
      swaps.splice(swaps.indexOf(swap), 1);
    };
  }, []);
  return {
    isOpen,
    button: (
      <button
        ref={button}
        type="button"
        class="link table-swap reach"
        title={isOpen ? 'Back to the picture (t)' : 'The rows behind it (t)'}
        onClick={toggle}
      >
        {isOpen ? 'Chart' : 'Table'}
      </button>
    ),
    table: isOpen ? <Rows {...behind} /> : null,
  };
}

function Rows<Row>({ label, rows, keyOf, columns }: Behind<Row>) {
  const [sort, setSort] = useState<SortOrder | null>(null);
  const text = (): string =>
    csvOf(
      columns.map(({ head }) => head),
      rows.map((row) => columns.map(({ csv, sortBy }) => (csv ?? sortBy)?.(row) ?? null)),
    );
  return (
    <div class="behind">
      <div class="row">
        <CopyButton text={text} label={label} words="Copy as CSV" />
      </div>
      <div class="behind-rows">
        <Table
          label={label}
          rows={rows}
          keyOf={keyOf}
          columns={columns}
          sort={sort}
          onSort={setSort}
          empty={<p class="mute">There is nothing to show yet.</p>}
        />
      </div>
    </div>
  );
}
