// Gives the browser a file that the page has made.

const keptMs = 60_000;

/** Of a name only what every file system takes. */
export function fileNameOf(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-');
}

/** `parts`: of its text, in their order. */
export function save(parts: readonly string[], name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileNameOf(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}
