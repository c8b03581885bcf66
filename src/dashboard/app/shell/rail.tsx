// The navigation: beside the page, or below it on phones.

import { Icon, icons } from '../look/glyphs.tsx';
import { counters } from '../store/cluster.ts';
import { isAdmin, maySubmit } from '../store/session.ts';
import { grouped } from '../text/numbers.ts';
import {
  connectItem,
  mainNavigation,
  type NavigationItem,
  settingsItem,
  submitItem,
} from './navigation.ts';
import { showHelp } from './help.tsx';

/** The path in the navigation that the present page belongs to. */
interface RailProps {
  readonly active: string;
}

export function Rail({ active }: RailProps) {
  return (
    <nav class="rail" aria-label="Pages">
      <a class="brand" href="/" aria-label="Muster">
        <Logo />
        <span>Muster</span>
      </a>
      {mainNavigation.map((item) => (
        <RailLink key={item.path} item={item} active={active} />
      ))}
      <div class="gap" />
      {allowed().map((item) => (
        <RailLink key={item.path} item={item} active={active} />
      ))}
      <div class="foot">
        <RailLink item={settingsItem} active={active} />
        <p class="place">
          <span class="cut">{location.host}</span>
          <span>
            <button type="button" class="link" onClick={showHelp}>
              Keys
            </button>
            {' · '}
            <a href="/docs">Interface</a>
          </span>
        </p>
      </div>
    </nav>
  );
}

function RailLink({ item, active }: RailProps & { readonly item: NavigationItem }) {
  const count = countOf(item.path);
  return (
    <a
      class="nav"
      href={item.path}
      aria-current={active === item.path ? 'page' : undefined}
      title={item.name}
    >
      <Icon path={item.icon} />
      <span>{item.name}</span>
      {count === null ? null : <span class="count">{grouped(count)}</span>}
    </a>
  );
}

function countOf(of: string): number | null {
  const told = counters.value;
  if (told === null) return null;
  if (of === '/jobs') return told.jobs.open;
  if (of !== '/workers') return null;
  return Object.values(told.workers).reduce((sum, count) => sum + count, 0);
}

const tabs = mainNavigation.slice(0, 4);

/** On phones: four pages, and the rest behind a fifth. */
export function Tabs({ active }: RailProps) {
  const rest = [...mainNavigation.slice(4), ...allowed(), settingsItem];
  return (
    <nav class="tabs" aria-label="Pages, short">
      {tabs.map((item) => (
        <TabLink key={item.path} item={item} active={active} />
      ))}
      <button type="button" popovertarget="more">
        <Icon path={icons.more} />
        More
      </button>
      <div
        class="menu"
        id="more"
        popover="auto"
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        {rest.map((item) => (
          <TabLink key={item.path} item={item} active={active} />
        ))}
      </div>
    </nav>
  );
}

function TabLink({
  item: { path: to, name, icon },
  active,
}: RailProps & { readonly item: NavigationItem }) {
  return (
    <a href={to} aria-current={active === to ? 'page' : undefined}>
      <Icon path={icon} />
      {name}
    </a>
  );
}

/** What changes something is there for those who may. */
const allowed = (): readonly NavigationItem[] => [
  ...(maySubmit.value ? [submitItem] : []),
  ...(isAdmin.value ? [connectItem] : []),
];

export function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <rect x="1" y="4" width="9" height="14" rx="2" fill="var(--ink)" />
      <rect x="12" y="8" width="5" height="10" rx="1.6" fill="var(--running)" />
      <rect x="19" y="12" width="2.4" height="6" rx="1.2" fill="var(--completed)" />
    </svg>
  );
}
