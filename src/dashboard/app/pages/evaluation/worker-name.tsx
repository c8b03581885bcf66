// A worker by its name, with a link to its page while it is there.

import { MiddleCut } from '../../parts/middle-cut.tsx';
import { nameOf } from '../../text/words.ts';

interface Named {
  readonly worker_id: string;
  readonly name: string | null;
  readonly registered: boolean;
}

export function WorkerName({ worker }: { readonly worker: Named }) {
  const { worker_id: id, name, registered } = worker;
  const text = nameOf({ id, name });
  if (!registered) return <span title="It was removed">{`${text} (removed)`}</span>;
  return (
    <a class="strong" href={`/workers/${encodeURIComponent(id)}`}>
      <MiddleCut text={text} />
    </a>
  );
}
