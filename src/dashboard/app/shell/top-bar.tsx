// Above each page: where one is, a way to any job or worker, and how fresh it all is.

import type { ComponentChildren } from 'preact';
import { ButtonLink } from '../parts/button.tsx';
import { isAdmin, isViewer, maySubmit } from '../store/session.ts';
import { Finder } from './finder.tsx';
import { FreshnessMark } from './freshness-mark.tsx';

export function TopBar({ children }: { readonly children: ComponentChildren }) {
  return (
    <header class="top">
      <div class="crumb">{children}</div>
      <Finder />
      <div class="end">
        {isViewer.value ? (
          <span class="role" title="Inputs and results are not shown to those who look on.">
            You look on
          </span>
        ) : null}
        <FreshnessMark />
        <span class="row wide-only">
          {isAdmin.value ? <ButtonLink href="/connect">Connect a device</ButtonLink> : null}
          {maySubmit.value ? (
            <ButtonLink href="/submit" kind="primary">
              Submit a job
            </ButtonLink>
          ) : null}
        </span>
      </div>
    </header>
  );
}
