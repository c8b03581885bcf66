// A name that is too long for its place loses its middle: names of many devices begin alike.

const kept = 6;

export function MiddleCut({ text }: { readonly text: string }) {
  if (text.length <= 2 * kept) return <span class="cut">{text}</span>;
  return (
    <span class="middle-cut">
      <span class="cut">{text.slice(0, -kept)}</span>
      <span>{text.slice(-kept)}</span>
    </span>
  );
}
