// The page that stands in for this one where there is no network; kept on the device once it helps.

const script = '/worker/sw.js';
const scope = '/worker';

export function keepOfflinePage(): void {
  // Without it everything works that needs a network anyway.
  navigator.serviceWorker?.register(script, { scope }).catch(() => undefined);
}

export async function dropOfflinePage(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.getRegistration(scope);
    await registration?.unregister();
    await Promise.all((await caches.keys()).filter(isOwn).map((name) => caches.delete(name)));
  } catch {
    // Forbidden here, hence nothing was kept.
  }
}

function isOwn(name: string): boolean {
  return name.startsWith('muster-worker-');
}
