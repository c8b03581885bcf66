// A name that is too long for its place loses its middle: names of many devices begin alike.

const kept = 6;
/** The end, of whole letters: one may be two characters. */
const end = new RegExp(`.{${kept}}$`, 'su');

export function MiddleCut({ text }: { readonly text: string }) {
  const place = text.length <= 2 * kept ? -1 : text.search(end);
  if (place <= 0) return <span class="cut">{text}</span>;
  return (
    <span class="middle-cut">
      <span class="cut">{text.slice(0, place)}</span>
      <span>{text.slice(place)}</span>
    </span>
  );
}
