// Being built.

export function Page() {
  return <h1 class="lede">Overview</h1>;
}
