// Lets a device join: a link, its code, and who has just come.

import { useEffect } from 'preact/hooks';
import { Bones, Empty } from '../../parts/panel.tsx';
import { usePartOfCluster } from '../../store/cluster.ts';
import { isAdmin, session } from '../../store/session.ts';
import { haveLink, ownLink } from './join-link.ts';
import { type Door, doorOf } from './join-words.ts';
import { LinkPanel } from './link-panel.tsx';
import { LinklessPanel } from './linkless-panel.tsx';
import { NewcomerList } from './newcomer-list.tsx';

export function Page() {
  useEffect(() => usePartOfCluster('workers'), []);
  const who = session.value;
  if (who === null) return <Bones lines={8} />;
  if (!isAdmin.value) return <NotForYou />;
  return <Connect door={doorOf(who)} />;
}

function Connect({ door }: { readonly door: Door }) {
  useEffect(() => {
    if (door === 'link') void haveLink();
  }, [door]);
  return (
    <>
      <h1 class="lede">
        <Heading door={door} />
      </h1>
      <div class="grid">
        {door === 'link' ? <LinkPanel /> : <LinklessPanel isOpen={door === 'open'} />}
        <NewcomerList linkId={door === 'link' ? (ownLink.value?.link.id ?? null) : null} />
      </div>
    </>
  );
}

function Heading({ door }: { readonly door: Door }) {
  if (door === 'here') {
    return (
      <>
        <b>From elsewhere nobody can join yet.</b> The machine of the coordinator needs no link.
      </>
    );
  }
  if (door === 'open') {
    return (
      <>
        <b>Everybody can join.</b> Nobody needs a link here.
      </>
    );
  }
  return (
    <>
      <b>Let a device help.</b> Anything with a browser can; a phone needs its camera only.
    </>
  );
}

function NotForYou() {
  return (
    <>
      <h1 class="lede">
        <b>Who operates the coordinator lets devices join.</b>
      </h1>
      <Empty>
        Ask for a link. With a token of an admin this page makes one, and shows who has come by it.
      </Empty>
    </>
  );
}
