// The link that lets devices join: its code, what to do with it, until when it is good, and as text.

import type { ComponentChildren } from 'preact';
import { KindGlyph } from '../../look/glyphs.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Bones, Empty } from '../../parts/panel.tsx';
import { attempt, tell } from '../../shell/asking.tsx';
import { now } from '../../store/clock.ts';
import { workerList } from '../../store/cluster.ts';
import { read } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import type { JoinLinkResource, TokenResource } from '../../../../protocol/tokens.ts';
import {
  isMaking,
  linkAsked,
  linkFault,
  makeLink,
  type OwnLink,
  ownLink,
  takeBackLink,
} from './join-link.ts';
import {
  commandOf,
  endsIn,
  hasPin,
  hindrances,
  toldOf,
  openingCommands,
  pageOfWorker,
  usedBy,
  whyEnded,
} from './join-words.ts';
import { isBy } from './newcomers.ts';
import { LinkCode } from './link-code.tsx';
import { Steps } from './steps.tsx';

const tokensEveryMs = 10_000;
const usesOffered = [1, 5, 10, 50, 200];

export function LinkPanel() {
  const own = ownLink.value;
  const fault = linkFault.value;
  return (
    <section class="panel span-7 connect-link" aria-label="The link">
      {fault === null ? null : (
        <p class="part bad" role="alert">
          {fault}
        </p>
      )}
      {own === null ? <Missing /> : <Link key={own.link.id} own={own} />}
    </section>
  );
}

function Missing() {
  if (isMaking.value) {
    return (
      <div class="part">
        <Bones lines={6} />
      </div>
    );
  }
  return (
    <div class="part">
      <Empty
        actions={
          <Button kind="primary" onPress={() => makeLink({ address: null })}>
            Make a link
          </Button>
        }
      >
        There is no link now.
      </Empty>
    </div>
  );
}

function Link({ own }: { readonly own: OwnLink }) {
  const { link, uses } = own;
  const joined = workerList.value?.filter((worker) => isBy(worker, link.id)).length ?? 0;
  const tokens = usePart(
    `tokens ${link.id} ${joined}`,
    (signal) => read<readonly TokenResource[]>('/api/tokens', {}, signal),
    { everyMs: tokensEveryMs },
  );
  const told = toldOf(link, tokens.value);
  const ended = whyEnded(told, now.value);
  const hinders = hindrances({
    address: link.address,
    onlyHere: link.only_this_machine,
    isPinned: hasPin(link.link),
  });
  return (
    <>
      {hinders.map((text) => (
        <p key={text} class="part connect-note">
          {text}
        </p>
      ))}
      {link.only_this_machine ? (
        <div class="part stack">
          <CopyLine
            text={openingCommands(location.port)[1]}
            label="the command that lets others join"
          />
        </div>
      ) : null}
      <Code link={link} ended={ended} />
      <dl class="part connect-terms">
        <div>
          <dt>Link ends in</dt>
          <dd>{ended === null ? endsIn(told, now.value) : 'it has ended'}</dd>
        </div>
        <div>
          <dt>Used by</dt>
          <dd>{usedBy(uses, told.uses_left)}</dd>
        </div>
        <div class="wide">
          <label class="connect-check">
            <input
              type="checkbox"
              checked={linkAsked.value.needsApproval}
              onChange={({ currentTarget }) =>
                void makeLink({ needsApproval: currentTarget.checked })
              }
            />
            Ask me for each device
          </label>
        </div>
      </dl>
      <div class="part row">
        <label class="row">
          <span class="soft">For</span>
          <select
            class="input"
            value={String(uses)}
            onChange={({ currentTarget }) => void makeLink({ uses: Number(currentTarget.value) })}
          >
            {[...new Set([...usesOffered, uses])].map((count) => (
              <option key={count} value={String(count)}>
                {count === 1 ? '1 device' : `${count} devices`}
              </option>
            ))}
          </select>
        </label>
        {link.other_addresses.length === 0 ? null : <Address own={own} />}
        <Button onPress={() => makeLink({})}>New link</Button>
        <Button
          kind="bare"
          onPress={async () => {
            const isDone = await attempt('Not taken back', takeBackLink);
            if (isDone) tell({ text: 'The link is good no more. Who has joined stays.' });
          }}
        >
          Take it back
        </Button>
      </div>
      {ended === null ? <Ways link={link.link} /> : null}
    </>
  );
}

interface CodeProps {
  readonly link: JoinLinkResource;
  /** Why it is good no more; null: it is good. */
  readonly ended: string | null;
}

function Code({ link, ended }: CodeProps) {
  if (ended !== null) {
    return (
      <div class="part stack">
        <p>
          <b>This link has ended.</b> {ended}
        </p>
        <p>
          <Button kind="primary" onPress={() => makeLink({})}>
            Make a new one
          </Button>
        </p>
      </div>
    );
  }
  // A phone that scans it would ask itself.
  if (link.only_this_machine) return null;
  return (
    <div class="part connect-code-and-steps">
      <Share link={link.link} />
      <LinkCode rows={link.qr} />
      <Steps needsApproval={link.needs_approval} />
    </div>
  );
}

function Address({ own: { link } }: { readonly own: OwnLink }) {
  return (
    <label class="row">
      <span class="soft">At</span>
      <select
        class="input connect-address"
        value={link.address}
        onChange={({ currentTarget }) => void makeLink({ address: currentTarget.value })}
      >
        {[link.address, ...link.other_addresses].map((address) => (
          <option key={address} value={address}>
            {address.replace(/^https?:\/\//, '')}
          </option>
        ))}
      </select>
    </label>
  );
}

/** On a phone the link is passed on: its own camera does not see its screen. */
function Share({ link }: { readonly link: string }) {
  return (
    <div class="narrow-only connect-share">
      <CopyLine text={link} label="the link" />
      {'share' in navigator ? (
        <Button
          kind="primary"
          onPress={async () => {
            try {
              await navigator.share({ title: 'Let a device help', url: link });
            } catch {
              // Whoever asked for it has thought better of it.
            }
          }}
        >
          Share the link
        </Button>
      ) : null}
    </div>
  );
}

function Ways({ link }: { readonly link: string }) {
  return (
    <div class="connect-ways">
      <Way
        kind="browser"
        title="A browser"
        text="A laptop, a tablet, a school computer: open the link there, and leave its page open."
      >
        <CopyLine text={link} label="the link" />
        <HelpHere link={link} />
      </Way>
      <Way
        kind="pc"
        title="A PC for good"
        text="The fastest; it comes back by itself. In Termux on a phone as well."
      >
        <CopyLine text={commandOf(link)} label="the command" />
      </Way>
    </div>
  );
}

/** A button and no link: what is secret is not shown where the pointer is. */
export function HelpHere({ link }: { readonly link: string | null }) {
  return (
    <Button isSmall onPress={() => location.assign(pageOfWorker(link))}>
      Help with this browser
    </Button>
  );
}

interface WayProps {
  readonly kind: 'browser' | 'pc';
  readonly title: string;
  readonly text: string;
  readonly children: ComponentChildren;
}

export function Way({ kind, title, text, children }: WayProps) {
  return (
    <div class="stack">
      <h2 class="state">
        <KindGlyph kind={kind} />
        {title}
      </h2>
      <p class="soft">{text}</p>
      {children}
    </div>
  );
}
