// Being built.

export function Page() {
  return <h1 class="lede">Submit</h1>;
}
