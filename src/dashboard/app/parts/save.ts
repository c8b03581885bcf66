// Gives the browser a file that the page has made.

const keptMs = 60_000;

/** Of its name only what every file system takes. */
export function save(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}
