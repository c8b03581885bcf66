// Buttons say what they do; one whose request runs is disabled for so long.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onPress: () => void | Promise<unknown>;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'bare';
  readonly isSmall?: boolean;
  readonly isDisabled?: boolean;
  /** Where the text alone does not say on what it acts. */
  readonly label?: string;
  readonly title?: string;
}

export function Button(props: ButtonProps) {
  const {
    children,
    onPress,
    kind = 'plain',
    isSmall = false,
    isDisabled = false,
    label,
    title,
  } = props;
  const [isBusy, setBusy] = useState(false);
  const press = (): void => {
    const doing = onPress();
    if (doing === undefined) return;
    setBusy(true);
    doing.finally(() => setBusy(false)).catch(() => {});
  };
  return (
    <button
      type="button"
      class={`button ${kind}${isSmall ? ' small' : ''}`}
      disabled={isDisabled || isBusy}
      aria-label={label}
      title={title}
      onClick={press}
    >
      {children}
    </button>
  );
}

interface ButtonLinkProps {
  readonly children: ComponentChildren;
  readonly href: string;
  readonly kind?: 'plain' | 'primary';
  readonly isSmall?: boolean;
  readonly label?: string;
  /** The name of the file that it gives. */
  readonly download?: string;
}

export function ButtonLink(props: ButtonLinkProps) {
  const { children, href, kind = 'plain', isSmall = false, label, download } = props;
  return (
    <a
      class={`button ${kind}${isSmall ? ' small' : ''}`}
      href={href}
      aria-label={label}
      download={download}
    >
      {children}
    </a>
  );
}
