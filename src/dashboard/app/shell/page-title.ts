// What the page shows, as its place above it and the title of its tab name it.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Null: the name of the page. */
export const crumb = signal<string | null>(null);

/** The job to which what is shown belongs, or null. */
export const crumbOfJob = signal<{ readonly name: string; readonly href: string } | null>(null);

export function useCrumbOfJob(name: string, href: string): void {
  useEffect(() => {
    crumbOfJob.value = { name, href };
    return () => {
      crumbOfJob.value = null;
    };
  }, [name, href]);
}

export function usePageTitle(title: string | null): void {
  useEffect(() => {
    if (title === null) return;
    crumb.value = title;
    document.title = `${title} · Muster`;
  }, [title]);
}
