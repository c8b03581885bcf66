// Being built.

export function Page() {
  return <h1 class="lede">Settings</h1>;
}
