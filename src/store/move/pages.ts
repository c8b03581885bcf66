// Goes through a table of one side.

import type { MovedTable } from './moved-tables.ts';
import type { Bounds, MoveSide, Page, Place } from './sides.ts';

/** The next page is read while somebody works on the one before. */
export async function* pagesOf(
  side: MoveSide,
  table: MovedTable,
  after: Place | null,
  bounds: Bounds,
): AsyncGenerator<Page> {
  let reading: Promise<Page> | undefined = side.readPage(table, after, bounds);
  while (reading !== undefined) {
    const page: Page = await reading;
    reading = page.next === null ? undefined : side.readPage(table, page.next, bounds);
    // Nobody may ask for it any more.
    reading?.catch(() => undefined);
    yield page;
  }
}
