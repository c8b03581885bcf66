// A name in a place that may be too small for it: what is cut off is its middle, for names of many devices begin alike.

import { nameWithEnd } from '../text/words.ts';

export function NameWithEnd({ name }: { readonly name: string }) {
  const [begin, end] = nameWithEnd(name);
  return (
    <span class="name-with-end" dir="auto" title={name}>
      <span class="cut">{begin}</span>
      {end === '' ? null : <span>{end}</span>}
    </span>
  );
}
