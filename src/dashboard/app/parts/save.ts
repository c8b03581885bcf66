// Gives the browser a file that the page has made.

const keptMs = 60_000;

/** The end of the file's name comes to it, and a name may have 255 bytes; four for a letter at most. */
const longest = /^.{0,60}/u;
/** Names of devices in Windows, whatever comes after the first dot. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Of a name only what every file system takes. */
export function fileNameOf(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-').replace(/^[.-]+/, '');
  const cut = longest.exec(plain)![0].replace(device, '$&-');
  return cut === '' ? 'muster' : cut;
}

/** `parts`: of its text, in their order. `name`: as `fileNameOf` makes it, and its ending. */
export function save(parts: readonly string[], name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}
