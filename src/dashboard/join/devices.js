// @ts-check
// On the page of the coordinator, for its admin: a link that lets a device join, as text and as a QR code, and who
// waits to be let in. Whoever has logged in can log out. Text only, never HTML.

/** What the session is of; kept beside it, since no script can read the session. */
const kind = localStorage.getItem('muster.kind');
const isAdmin = kind === null || kind === 'admin';
const onlyHere =
  'Only this machine reaches that address. To let others join, start the coordinator with --host 0.0.0.0 ' +
  '--tls self-signed.';
const svgNamespace = 'http://www.w3.org/2000/svg';

const place = /** @type {HTMLElement} */ (document.getElementById('join'));
const waiting = /** @type {HTMLElement} */ (document.getElementById('waiting'));
const result = make('div', 'made');
const asks = /** @type {HTMLInputElement} */ (make('input', ''));
asks.type = 'checkbox';
const label = make('label', '');
label.append(asks, ' ask me for each device');
const button = makeButton('Let a device join', () => void makeLink());
const asking = make('p', 'join-row');
asking.append(button, label);
// Nobody has logged in, and yet the page is there: nobody needs a link here.
if (kind === null) asking.append(helpHere(''));
if (isAdmin) place.append(asking, result);
if (kind !== null) addLogOut();

globalThis.addEventListener('workers-asked', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  drawWaiting(isAdmin ? detail.filter((/** @type {any} */ each) => 'waits_until' in each) : []);
});

async function makeLink() {
  button.disabled = true;
  try {
    const link = await ask('POST', '/api/join-links', { needs_approval: asks.checked });
    result.replaceChildren(drawLink(link));
  } catch (error) {
    result.replaceChildren(make('p', 'panel plain', sentenceOf(error)));
  }
  button.disabled = false;
}

/** @param {any} link */
function drawLink(link) {
  const panel = make('div', 'panel link');
  const words = make('div', 'words');
  const ends = new Date(link.expires_at).toLocaleTimeString([], { timeStyle: 'short' });
  const devices = link.uses_left === 1 ? 'one device' : `${link.uses_left} devices`;
  words.append(
    make('p', '', `For ${devices}, until ${ends}. Whoever has the link can ${verbOf(link)}.`),
    copied('On the other device', `muster worker '${link.link}'`),
    copied('The link alone', link.link),
  );
  if (link.only_this_machine) {
    words.append(make('p', 'quiet', onlyHere));
  }
  const buttons = make('p', 'join-row');
  buttons.append(
    helpHere(new URL(link.link).hash),
    makeButton('Take it back', () => void takeBack(link.id)),
    makeButton('Done', () => result.replaceChildren()),
  );
  words.append(buttons);
  panel.append(drawCode(link.qr), words);
  return panel;
}

/** To the page that works in this browser. @param {string} fragment of a link, or empty */
function helpHere(fragment) {
  return makeButton('Help with this browser', () => location.assign(`/worker${fragment}`));
}

/** @param {any} link */
function verbOf({ needs_approval: needsApproval }) {
  return needsApproval ? 'ask to join' : 'join';
}

/** Dark on white in any colours of the page: not every phone reads it the other way. @param {string[]} rows */
function drawCode(rows) {
  const size = rows.length;
  const svg = document.createElementNS(svgNamespace, 'svg');
  for (const [name, value] of Object.entries({
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': 'The link as a QR code',
    'shape-rendering': 'crispEdges',
    class: 'code',
  })) {
    svg.setAttribute(name, value);
  }
  const ground = document.createElementNS(svgNamespace, 'path');
  ground.setAttribute('fill', '#fff');
  ground.setAttribute('d', `M0 0h${size}v${size}H0z`);
  const modules = document.createElementNS(svgNamespace, 'path');
  modules.setAttribute('fill', '#000');
  const runs = rows.map((row, y) =>
    [...row.matchAll(/1+/g)].map(
      ({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`,
    ),
  );
  modules.setAttribute('d', runs.flat().join(''));
  svg.append(ground, modules);
  return svg;
}

/** @param {string} title @param {string} text */
function copied(title, text) {
  const whole = make('div', 'copied');
  const copy = makeButton('Copy', () => {
    void navigator.clipboard.writeText(text).then(
      () => void (copy.textContent = 'Copied'),
      () => getSelection()?.selectAllChildren(code),
    );
  });
  const code = make('code', '', text);
  whole.append(make('span', 'quiet', title), code, copy);
  return whole;
}

/** @param {string} id */
async function takeBack(id) {
  try {
    await ask('DELETE', `/api/tokens/${id}`);
    result.replaceChildren();
  } catch (error) {
    result.append(make('p', 'quiet', sentenceOf(error)));
  }
}

/** Drawn anew only when it is somebody else who waits: a button stays under the pointer. @param {any[]} workers */
function drawWaiting(workers) {
  const ids = workers.map(({ id }) => id).join(' ');
  if (waiting.dataset['ids'] === ids) return;
  waiting.dataset['ids'] = ids;
  if (workers.length === 0) return waiting.replaceChildren();
  const panel = make('div', 'panel plain');
  panel.append(make('h3', '', 'Waiting to be let in'));
  panel.append(make('p', 'quiet', 'What a device says of itself is only what it says.'));
  for (const { id, name, type, platform, joined_by: by } of workers) {
    const one = make('p', 'join-row');
    const by_ = by?.label ? `, by the link ${by.label}` : '';
    one.append(
      make('span', 'who', `${name ?? 'no name'} · ${type} · ${platform}${by_}`),
      make('span', 'id', id),
      makeButton('Let in', () => void answer(one, id, 'approve')),
      makeButton('Refuse', () => void answer(one, id, 'refuse')),
    );
    panel.append(one);
  }
  waiting.replaceChildren(panel);
}

/** @param {HTMLElement} one @param {string} id @param {'approve' | 'refuse'} what */
async function answer(one, id, what) {
  try {
    await ask('POST', `/api/workers/${encodeURIComponent(id)}/${what}`);
    one.replaceChildren(
      make('span', 'quiet', what === 'approve' ? `${id} is let in.` : `${id} is refused.`),
    );
  } catch (error) {
    one.append(make('span', 'quiet', sentenceOf(error)));
  }
}

function addLogOut() {
  const out = makeButton('Log out', () => void logOut());
  document.querySelector('nav')?.append(' ', out);
}

async function logOut() {
  await fetch('/api/session', { method: 'DELETE' });
  localStorage.removeItem('muster.kind');
  location.reload();
}

/** @param {string} method @param {string} path @param {unknown} [json] */
async function ask(method, path, json) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method, headers, ...body });
  const told = await response.json();
  if (!response.ok) throw told;
  return told;
}

/** @param {any} error */
function sentenceOf(error) {
  return typeof error?.detail === 'string' ? error.detail : 'The coordinator does not answer.';
}

/** @param {string} text @param {() => void} act */
function makeButton(text, act) {
  const made = /** @type {HTMLButtonElement} */ (make('button', '', text));
  made.type = 'button';
  made.addEventListener('click', act);
  return made;
}

/** @param {string} tag @param {string} className @param {string} [text] */
function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}
