// Asks for a token. The browser keeps a session instead, which no script can read, and the token is in no address.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { change, sentenceOf } from '../store/endpoint.ts';
import { Logo } from './rail.tsx';

export function LogIn({ onLoggedIn }: { readonly onLoggedIn: () => Promise<void> }) {
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const logIn = async (): Promise<void> => {
    if (token.trim() === '') return setFault('Paste the token first.');
    try {
      await change('POST', '/api/session', { token: token.trim() });
      setToken('');
      await onLoggedIn();
    } catch (error) {
      setFault(sentenceOf(error));
    }
  };
  return (
    <form
      class="log-in"
      onSubmit={(event) => {
        event.preventDefault();
        void logIn();
      }}
    >
      <Logo />
      <h1>This coordinator asks for a token</h1>
      <p class="soft">
        Whoever runs it makes one with <code>muster token create</code>. A token of a viewer is
        enough to look on.
      </p>
      <label class="field">
        <span>Token</span>
        <input
          ref={input}
          type="password"
          autocomplete="off"
          placeholder="mst_…"
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      {fault === null ? null : (
        <p class="bad" role="alert">
          {fault}
        </p>
      )}
      <Button kind="primary" isDisabled={token.trim() === ''} onPress={logIn}>
        Log in
      </Button>
    </form>
  );
}
