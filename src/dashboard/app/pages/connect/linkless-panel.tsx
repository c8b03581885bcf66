// Where nobody needs a link: on the machine of the coordinator alone, or open to everybody.

import { Button } from '../../parts/button.tsx';
import { CopyLine } from '../../parts/copy-line.tsx';
import { openingCommands } from './join-words.ts';
import { HelpHere, Way } from './link-panel.tsx';

export function LinklessPanel({ isOpen }: { readonly isOpen: boolean }) {
  const { origin } = location;
  return (
    <section class="panel span-7 connect-link" aria-label="How to join">
      {isOpen ? (
        <p class="part connect-note">
          This coordinator is open to everybody who can reach it (--open): whoever knows its address
          joins, submits and reads all. Use it in a network of your own only.
        </p>
      ) : (
        <div class="part stack">
          <p>
            <b>To let others join</b>, the coordinator is started anew. <b>Devices that are here</b>{' '}
            go on trying the present address: end each and start it anew with the link of this page,
            then it joins as a new one. Only workers that the coordinator starts itself come along.
          </p>
          <p>
            Stop it where it runs (Ctrl+C; jobs wait meanwhile and go on where they were), make a
            token for yourself, and start it so that others reach it, encrypted:
          </p>
          {openingCommands(location.port).map((command) => (
            <CopyLine key={command} text={command} label="the command" />
          ))}
          <p class="soft">
            The first prints your token. Give the second what else the present start was given (as
            --workers); both the same --data-dir or --store, if it has one.
          </p>
          <p class="soft">
            This page then asks for your token once, and shows a code. A phone in the same network
            scans it, is warned once of a certificate that it does not know, and goes on there to a
            page that asks for consent, and helps while it is open. The code gives no right but to
            work: nothing of yours can be seen or changed by it. From another network, as from
            somebody's home, a device reaches this only where a VPN, a proxy or a forwarded port
            leads here.
          </p>
        </div>
      )}
      <div class="connect-ways">
        <Way
          kind="browser"
          title={isOpen ? 'A browser' : 'A browser here'}
          text={
            isOpen
              ? 'Phones, tablets, laptops: open this address there, and leave its page open.'
              : 'It works while its page is open; nothing is installed.'
          }
        >
          <CopyLine text={`${origin}/worker`} label="the address" />
          <HelpHere link={null} />
          {isOpen && 'share' in navigator ? (
            <Button
              isSmall
              onPress={() =>
                navigator
                  .share({ title: 'Let a device help', url: `${origin}/worker` })
                  .catch(() => {
                    // Whoever asked for it has thought better of it.
                  })
              }
            >
              Share the address
            </Button>
          ) : null}
        </Way>
        <Way
          kind="pc"
          title={isOpen ? 'A PC for good' : 'This machine'}
          text="The fastest; in a terminal:"
        >
          <CopyLine text={`muster worker ${origin}`} label="the command" />
        </Way>
      </div>
    </section>
  );
}
