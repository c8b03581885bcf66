// What a hint tells a pointer that hovers, a touch tells a finger: the same words, above the lower edge. Where a touch
// does something else, it does that.

const acts = 'a, button, input, select, textarea, summary, tr.opens, [role="application"]';
const told = document.createElement('p');
told.className = 'touch-hint';

export function listenToTouch(): void {
  document.addEventListener('pointerup', ({ pointerType, target }) => {
    told.remove();
    let at = target as Element | null;
    if (pointerType !== 'touch' || at?.closest(acts)) return;
    for (; at; at = at.parentElement) {
      told.textContent =
        at.getAttribute('title') ?? at.querySelector(':scope > title')?.textContent ?? '';
      if (told.textContent !== '') return document.body.append(told);
    }
  });
}
