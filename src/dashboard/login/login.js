// @ts-check
// On pages of a coordinator that asks for tokens: a form for one. The browser keeps a session instead, which no
// script can read, and the token is in no address.

const form = document.createElement('form');
form.className = 'login';

const sentence = document.createElement('p');
sentence.textContent = 'This coordinator asks for a token.';
const input = document.createElement('input');
Object.assign(input, { type: 'password', name: 'token', required: true });
input.autocomplete = 'off';
input.setAttribute('aria-label', 'Token');
input.placeholder = 'mst_…';
const button = document.createElement('button');
button.textContent = 'Log in';
const refusal = document.createElement('p');
refusal.setAttribute('role', 'alert');
form.append(sentence, input, button, refusal);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void logIn();
});

/** Said by a page that was refused: its session may have ended. */
globalThis.addEventListener('token-needed', showForm);

void probe();

async function probe() {
  const { status } = await fetch('/api/limits');
  if (status === 401) showForm();
}

function showForm() {
  if (form.isConnected) return;
  localStorage.removeItem('muster.kind');
  document.body.prepend(form);
  input.focus();
}

async function logIn() {
  button.disabled = true;
  try {
    const answer = await fetch('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: input.value.trim() }),
    });
    const told = await answer.json();
    if (answer.ok) {
      localStorage.setItem('muster.kind', told.kind);
      return location.reload();
    }
    refusal.textContent = told.detail;
  } catch {
    refusal.textContent = 'The coordinator does not answer; try again.';
  }
  button.disabled = false;
}
