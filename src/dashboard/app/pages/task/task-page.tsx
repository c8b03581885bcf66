// Being built.

export function Page() {
  return <h1 class="lede">Task</h1>;
}
