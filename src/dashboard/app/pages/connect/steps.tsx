// What whoever holds the phone does, in three steps.

export function Steps({ needsApproval }: { readonly needsApproval: boolean }) {
  return (
    <ol class="connect-steps">
      <li>
        <b>Point the phone's camera at the code.</b>
        <span>Same network as this page; no app to install.</span>
      </li>
      <li>
        <b>Read what it will do, tap "Start helping".</b>
        <span>Its owner says when: only while charging, only on Wi-Fi.</span>
      </li>
      <li>
        <b>{needsApproval ? 'Let it in here.' : 'See it appear here.'}</b>
        <span>
          {needsApproval
            ? 'It is given nothing before you say so.'
            : 'It gets its first task at once, if one waits.'}
        </span>
      </li>
    </ol>
  );
}
