// Being built.

export function Page() {
  return <h1 class="lede">Scheduler</h1>;
}
