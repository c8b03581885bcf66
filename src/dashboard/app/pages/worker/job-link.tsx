// A job by its name, where that is known.

import { useEffect } from 'preact/hooks';
import { jobList, usePartOfCluster } from '../../store/cluster.ts';
import { nameOf, shortId } from '../../text/words.ts';

export function JobLink({ id }: { readonly id: string }) {
  useEffect(() => usePartOfCluster('jobs'), []);
  const job = jobList.value?.find((each) => each.id === id);
  return (
    <a class="link" href={`/jobs/${encodeURIComponent(id)}`}>
      {job === undefined ? shortId(id) : nameOf(job)}
    </a>
  );
}
