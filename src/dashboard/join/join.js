// @ts-check
// The page of a link that lets a device join: a phone goes on to the page that works in its browser, a PC is told
// the command, and may help with its browser as well. What is secret stands behind the # of its address, and is taken
// out of it before anything else: it is in no history, and nobody reads it over a shoulder.

const whole = location.href;
const parts = new URLSearchParams(location.hash.slice(1).replaceAll('.', '&'));
history.replaceState(null, '', location.pathname);

const told = /** @type {HTMLElement} */ (document.getElementById('told'));
const ended = 'This link has ended. Ask for a new one.';
/** The command is copied into a shell, where anything else in a link that somebody has changed would be run. */
const linkForm = /^https?:\/\/[\w.:[\]-]+\/join#t=[\w-]+(?:[.&]k=[\w-]{43})?$/;

const fragment = whole.slice(whole.indexOf('#'));
const { userAgent, maxTouchPoints } = navigator;
/** Tablets of Apple say that they are a Mac. */
const isHandheld =
  /Android|iPhone|iPad|iPod|Mobile/.test(userAgent) ||
  (userAgent.includes('Macintosh') && maxTouchPoints > 0);

// Another link, opened where this page is open already.
addEventListener('hashchange', () => location.reload());
void tell();

async function tell() {
  const token = parts.get('t');
  if (token === null) {
    return say('There is no link here. Open it as a whole, with what stands behind its #.');
  }
  if (!linkForm.test(whole)) {
    return say('The link was cut or changed on its way: ask for it again, and copy it as a whole.');
  }
  // There a person is asked; the link is kept out of the history of this page as well.
  if (isHandheld) return location.replace(`/worker${fragment}`);
  try {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch('/api/join', { headers, credentials: 'omit' });
    if (response.ok) return show(await response.json());
    say(
      response.status === 401 || response.status === 403 ? ended : (await response.json()).detail,
    );
  } catch {
    say('The coordinator does not answer; open the link again in a moment.');
  }
}

/** @param {any} join */
function show({
  coordinator_name: who,
  label,
  expires_at: end,
  uses_left: uses,
  worker_labels: labels,
  needs_approval: asks,
}) {
  const until =
    end === null
      ? ''
      : `, until ${new Date(end).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })}`;
  const devices =
    uses === null ? 'any number of devices' : uses === 1 ? 'one device' : `${uses} devices`;
  const fixed = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const panel = element('div', 'panel plain');
  panel.append(
    element(
      'p',
      '',
      `This link lets ${devices} work for ${who === null ? 'the coordinator' : `${who},`} at ${location.host}${until}.`,
    ),
    ...(label === null ? [] : [element('p', 'quiet', `It is for: ${label}`)]),
    ...(fixed.length === 0 ? [] : [element('p', 'quiet', `Its label: ${fixed.join(', ')}`)]),
    ...(asks
      ? [element('p', 'quiet', 'Whoever runs the coordinator is asked before it is given work.')]
      : []),
    element('p', '', 'This browser can help while its page is open; nothing is installed:'),
    browserButton(),
    element('p', '', 'A PC with Muster on it helps without a page. There, run:'),
    command(`muster worker '${whole}'`),
    element('p', 'quiet', 'On a phone or a tablet, open the link there: its browser works.'),
  );
  told.replaceChildren(panel);
}

/** A button and no link: what is secret is not shown where the pointer is. */
function browserButton() {
  const button = element('button', '', 'Help with this browser');
  button.addEventListener('click', () => location.assign(`/worker${fragment}`));
  return button;
}

/** @param {string} text */
function command(text) {
  const row = element('div', 'copied');
  const code = element('code', '', text);
  const copy = element('button', '', 'Copy');
  copy.addEventListener('click', () => {
    void navigator.clipboard.writeText(text).then(
      () => void (copy.textContent = 'Copied'),
      () => getSelection()?.selectAllChildren(code),
    );
  });
  row.append(code, copy);
  return row;
}

/** @param {string} sentence */
function say(sentence) {
  told.replaceChildren(element('p', 'panel plain', sentence));
}

/** @param {string} tag @param {string} className @param {string} [text] */
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
