// A table that is sorted on demand. Under the pointer its order is held; long ones draw only what is seen; on
// phones its rows are cards.

import { Component, type ComponentChildren, type TargetedMouseEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon, icons } from '../look/glyphs.tsx';
import { compareNames, counted } from '../text/words.ts';
import { Button } from './button.tsx';
import { holdOrder } from './held-order.ts';

export interface Column<Row> {
  readonly id: string;
  readonly head: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  /** Sorted by it; null stands last both ways. Absent: this column sorts nothing. */
  readonly sortBy?: (row: Row) => number | string | null;
  /** Begins with the largest. */
  readonly isDescending?: boolean;
  readonly isNumber?: boolean;
  /** CSS width; columns without one share what is left. */
  readonly width?: string;
  readonly class?: string;
  /** On cards: `lead` stands first, `wide` takes a line, `hidden` is left out; else its label stands behind it. */
  readonly card?: 'lead' | 'wide' | 'hidden';
  /** On cards, behind the value. */
  readonly label?: string;
}

export interface SortOrder {
  readonly column: string;
  readonly isDescending: boolean;
}

interface TableProps<Row> {
  /** Told to those who do not see it. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** As given when it is null. */
  readonly sort?: SortOrder | null;
  readonly onSort?: (sort: SortOrder | null) => void;
  /** Stay above all others. */
  readonly isPinned?: (row: Row) => boolean;
  readonly onOpen?: (row: Row) => void;
  /** Of the open row: what stands below it. */
  readonly below?: (row: Row) => ComponentChildren;
  readonly openKey?: string | null;
  readonly rowClass?: (row: Row) => string;
  readonly empty?: ComponentChildren;
}

/** From so many rows on only those in view are drawn. */
const drawnAll = 120;
const overscan = 10;
/** Before it is known how high rows are and where they begin: what a screen may show. */
const firstDrawn = 25;

export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, keyOf, columns, sort = null, onSort, isPinned, onOpen, below } = props;
  const { openKey = null, rowClass, empty } = props;
  const box = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const byKey = useMemo(() => new Map(rows.map((row) => [keyOf(row), row])), [rows]);
  const wanted = useMemo(
    () => sorted(rows, columns, sort, isPinned).map(keyOf),
    [rows, sort?.column, sort?.isDescending],
  );
  const { shown, moved } = holdOrder(held, wanted);
  const hold = (): void => setHeld((before) => before ?? wanted);
  const release = (): void => {
    const element = box.current;
    if (element?.matches(':hover') || element?.contains(document.activeElement)) return;
    setHeld(null);
  };
  const sortBy = (column: Column<Row>): void => {
    setHeld(null);
    onSort?.(nextSort(column, sort));
  };
  const isWide = useIsWide(box);
  const range = useVisibleRange(box, shown.length, openKey);
  const visible = shown.slice(range.from, range.to);
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  return (
    <div
      ref={box}
      class={isWide ? 'table-box wide' : 'table-box'}
      onPointerEnter={hold}
      onPointerLeave={() => setTimeout(release)}
      onFocusIn={hold}
      onFocusOut={() => setTimeout(release)}
    >
      <div class="moved" hidden={moved === 0}>
        <Button isSmall onPress={() => setHeld(wanted)}>
          {`${counted(moved, 'row')} would move: sort now`}
        </Button>
      </div>
      <table class="cards" aria-label={label} aria-rowcount={shown.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                class={classOf(column)}
                style={column.width === undefined ? {} : { width: column.width }}
                aria-sort={ariaSort(column, sort)}
              >
                {column.sortBy === undefined || onSort === undefined ? (
                  column.head
                ) : (
                  <button type="button" class="sorter" onClick={() => sortBy(column)}>
                    {column.head}
                    {sort?.column === column.id ? (
                      <Icon path={sort.isDescending ? icons.down : icons.up} size={10} />
                    ) : null}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={range.above} columns={columns.length} />
          {visible.map((key, place) => {
            const row = byKey.get(key)!;
            return (
              <KeptRow
                key={key}
                row={row}
                id={key}
                index={range.from + place + 2}
                columns={columns}
                class={rowClass?.(row) ?? ''}
                onOpen={onOpen}
                below={openKey === key ? below?.(row) : undefined}
              />
            );
          })}
          <Spacer height={range.below} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly index: number;
  readonly columns: readonly Column<Row>[];
  readonly class: string;
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly below: ComponentChildren;
}

/** Is not drawn again for a row and columns that are the same; what its cells show of signals moves by itself. */
class KeptRow<Row> extends Component<TableRowProps<Row>> {
  override shouldComponentUpdate(next: TableRowProps<Row>): boolean {
    const names = Object.keys(next) as (keyof TableRowProps<Row>)[];
    return names.some((name) => next[name] !== this.props[name]);
  }

  override render() {
    return <TableRow {...this.props} />;
  }
}

function TableRow<Row>({
  row,
  id,
  index,
  columns,
  class: more,
  onOpen,
  below,
}: TableRowProps<Row>) {
  const open = (event: TargetedMouseEvent<HTMLTableRowElement>): void => {
    if (onOpen === undefined || (event.target as Element).closest('a, button, input, label'))
      return;
    onOpen(row);
  };
  return (
    <>
      <tr
        data-row={id}
        class={`${onOpen === undefined ? '' : 'opens '}${more}`}
        aria-rowindex={index}
        onClick={open}
      >
        {columns.map((column) => (
          <td key={column.id} class={classOf(column)} data-label={column.label}>
            {column.cell(row)}
          </td>
        ))}
      </tr>
      {below === undefined || below === null ? null : (
        <tr class="below">
          <td colSpan={columns.length}>{below}</td>
        </tr>
      )}
    </>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height === 0) return null;
  return (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

function classOf<Row>({ isNumber = false, class: more, card }: Column<Row>): string {
  return [isNumber ? 'number' : '', more ?? '', card === undefined ? '' : `card-${card}`]
    .filter((each) => each !== '')
    .join(' ');
}

function ariaSort<Row>(
  { id }: Column<Row>,
  sort: SortOrder | null,
): 'ascending' | 'descending' | undefined {
  if (sort?.column !== id) return undefined;
  return sort.isDescending ? 'descending' : 'ascending';
}

/** A column that is pressed sorts its way, then the other way, then no more. */
function nextSort<Row>(
  { id, isDescending = false }: Column<Row>,
  sort: SortOrder | null,
): SortOrder | null {
  if (sort?.column !== id) return { column: id, isDescending };
  return sort.isDescending === isDescending ? { column: id, isDescending: !isDescending } : null;
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: SortOrder | null,
  isPinned: ((row: Row) => boolean) | undefined,
): readonly Row[] {
  const by = columns.find(({ id }) => id === sort?.column)?.sortBy;
  let result = rows;
  if (sort !== null && by !== undefined) {
    const way = sort.isDescending ? -1 : 1;
    result = rows.toSorted((a, b) => {
      const [x, y] = [by(a), by(b)];
      if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0);
      if (typeof x === 'string') return way * compareNames(x, String(y));
      return way * (x - (y as number));
    });
  }
  if (isPinned === undefined) return result;
  const pinned: Row[] = [];
  const others: Row[] = [];
  for (const row of result) (isPinned(row) ? pinned : others).push(row);
  return [...pinned, ...others];
}

/** A table with more columns than its place has room for scrolls sideways; the head of every other stays in view. */
function useIsWide(box: { readonly current: HTMLElement | null }): boolean {
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWide(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box.current]);
  return isWide;
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** Pixels of rows that are not drawn. */
  readonly above: number;
  readonly below: number;
}

/** Of a long table the rows that the window shows; all rows are of one height but the open one. */
function useVisibleRange(
  box: { readonly current: HTMLElement | null },
  count: number,
  openKey: string | null,
): Range {
  const isLong = count > drawnAll;
  const [place, setPlace] = useState({ from: 0, to: firstDrawn, height: 36 });
  const measure = (): void => {
    const element = box.current;
    if (element === null || !isLong) return;
    const height =
      element.querySelector('tbody tr[data-row]')?.getBoundingClientRect().height ?? 36;
    const top = element.querySelector('tbody')!.getBoundingClientRect().top;
    const from = Math.max(0, Math.floor(-top / height) - overscan);
    const to = Math.min(count, Math.ceil((innerHeight - top) / height) + overscan);
    setPlace((before) =>
      before.from === from && before.to === to && before.height === height
        ? before
        : { from, to, height },
    );
  };
  useLayoutEffect(measure, [count, openKey, isLong]);
  useEffect(() => {
    if (!isLong) return;
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  });
  if (!isLong) return { from: 0, to: count, above: 0, below: 0 };
  const from = Math.min(place.from, count);
  const to = Math.max(from, Math.min(place.to, count));
  return { from, to, above: from * place.height, below: (count - to) * place.height };
}
