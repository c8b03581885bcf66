// Being built.

export function Page() {
  return <h1 class="lede">Evaluation</h1>;
}
