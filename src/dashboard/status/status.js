// Asks the public interface every two seconds and draws what it says; text only, never HTML. Numbers,
// shares and ages are worded as on the command line. `#job=ID` opens a job, `?after=ID` shows jobs that are older.

const pauseMs = 2000;
const shownJobs = 15;
const shownWorkers = 50;
const openStatuses = new Set(['pending', 'running']);

const units = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];
/** As on the command line: the beginning of an id. */
const shownOfId = 13;
const after = new URLSearchParams(location.search).get('after');
/** Jobs that have ended, as they were asked for: they only change when somebody retries them. */
const endedHeads = new Map();

let lastCount = null;
/** Counts the drawings: an answer that comes late must not replace a newer one. */
let drawings = 0;

const at = (id) => document.getElementById(id);
const grouped = (count) => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ');

void refresh();

async function refresh() {
  try {
    if (!document.hidden) await draw();
    tell('live', document.hidden ? 'Paused' : 'Live');
  } catch (error) {
    lastCount = null;
    const isRefusal = typeof error?.detail === 'string';
    if (error?.code === 'unauthorized') {
      globalThis.dispatchEvent(new Event('token-needed'));
      tell('lost', 'Waiting for a token');
    } else
      tell('lost', isRefusal ? error.detail : 'The coordinator does not answer; trying again.');
  }
  setTimeout(() => void refresh(), pauseMs);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) draw().catch(() => {});
});

globalThis.addEventListener('hashchange', () => void draw().catch(() => {}));

function draw() {
  const id = /^#job=(.+)$/.exec(location.hash)?.[1];
  for (const name of ['counters', 'all-jobs', 'all-workers']) at(name).hidden = id !== undefined;
  at('job').hidden = id === undefined;
  drawings++;
  return id === undefined ? drawAll(drawings) : drawJob(decodeURIComponent(id), drawings);
}

async function drawAll(drawing) {
  const older = after === null ? '' : `&after=${encodeURIComponent(after)}`;
  const [stats, config, jobs, workers] = await Promise.all([
    ask('/api/stats'),
    ask('/api/scheduler/config'),
    ask(`/api/jobs?limit=${shownJobs + 1}${older}`),
    ask('/api/workers'),
  ]);
  const heads = await Promise.all(jobs.slice(0, shownJobs).map(headOf));
  if (drawing !== drawings) return;
  drawCounters(stats, config);
  drawJobs(heads, jobs.length > shownJobs);
  drawWorkers(workers);
  globalThis.dispatchEvent(new CustomEvent('workers-asked', { detail: workers }));
  at('footer').textContent = `Up for ${duration(stats.uptime_seconds)}.`;
}

async function ask(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  const body = await response.json();
  if (!response.ok) throw body;
  return body;
}

/** The job with its counters; of one that has ended they are asked for once. */
async function headOf(job) {
  const key = `${job.id} ${job.status}`;
  const known = endedHeads.get(key);
  if (known !== undefined) return known;
  const head = await ask(pathOf(job.id)).catch(() => job);
  if (!openStatuses.has(head.status) && head !== job) {
    if (endedHeads.size >= 4 * shownJobs) endedHeads.clear();
    endedHeads.set(key, head);
  }
  return head;
}

function pathOf(id) {
  return `/api/jobs/${encodeURIComponent(id)}?tasks=false`;
}

async function drawJob(id, drawing) {
  let job;
  try {
    job = await ask(pathOf(id));
  } catch (error) {
    if (typeof error?.detail !== 'string' || drawing !== drawings) throw error;
    return replace('job-detail', element('p', 'empty', error.detail));
  }
  if (drawing !== drawings) return;
  at('job-title').textContent = job.name ?? 'Job without a name';
  const { counts } = job;
  const time = (timestamp) =>
    timestamp === null ? '–' : `${ago(timestamp)} (${new Date(timestamp).toLocaleString()})`;
  const rows = [
    ['Id', element('span', 'id whole', job.id)],
    ['Status', status(job.status)],
    ['Progress', progress(job)],
    ['Tasks', grouped(job.task_count)],
    ['Completed', grouped(counts.completed)],
    ['Failed', grouped(counts.failed)],
    ['Cancelled', grouped(counts.cancelled)],
    ['Running', grouped(counts.running + counts.assigned)],
    ['Waiting', grouped(counts.pending)],
    ['Error', job.error ?? '–'],
    ['Client', job.client_id],
    ['Priority', String(job.priority)],
    ['Submitted', time(job.created_at)],
    ['Began', time(job.started_at)],
    ['Ended', time(job.completed_at)],
    // A viewer may not read them.
    ...(localStorage.getItem('muster.kind') === 'viewer'
      ? []
      : [['Results', linkTo(`/api/jobs/${encodeURIComponent(job.id)}/results`, 'lines of JSON')]]),
  ];
  const list = element('dl', 'panel detail');
  for (const [name, content] of rows) {
    const value = element('dd', '');
    value.append(content);
    list.append(element('dt', '', name), value);
  }
  replace('job-detail', list);
}

function drawCounters(stats, config) {
  put('online-workers', stats.online_workers);
  put('running-jobs', stats.running_jobs);
  put('completed-jobs', stats.completed_jobs);
  put('tasks-completed', stats.total_tasks_completed);
  at('total-workers').textContent = `${grouped(stats.total_workers)} registered`;
  at('total-jobs').textContent = `${grouped(stats.total_jobs)} in all`;
  at('failed-jobs').textContent = `${grouped(stats.failed_jobs)} failed`;
  at('algorithm').textContent = config.algorithm;
  at('weighting').textContent = `${config.weighting} weights`;
  at('task-rate').textContent = rate(stats.total_tasks_completed);
}

function rate(count) {
  const now = { count, time: performance.now() };
  const before = lastCount;
  lastCount = now;
  if (before === null || now.count < before.count) return '';
  const perSecond = (1000 * (now.count - before.count)) / (now.time - before.time);
  return `${perSecond < 10 ? Math.round(perSecond * 10) / 10 : grouped(Math.round(perSecond))} per second`;
}

function drawJobs(jobs, hasOlder) {
  if (jobs.length === 0) {
    return after === null
      ? replace(
          'jobs',
          empty('No jobs yet. Submit one: ', 'muster submit program.js --inputs inputs.json'),
        )
      : replace('jobs', pages(linkTo('/', 'Newest jobs'), ' No jobs are older.'));
  }
  const rows = jobs.map((job) => [
    cell('name', linkTo(`#job=${encodeURIComponent(job.id)}`, named(job.name, job.id))),
    cell('', held(job)),
    cell('', progress(job)),
    cell('number', grouped(job.task_count)),
    cell('', job.client_id),
    cell('quiet', ago(job.created_at)),
  ]);
  const heads = ['Job', 'Status', 'Progress', '#Tasks', 'Client', 'Submitted'];
  const last = encodeURIComponent(jobs.at(-1).id);
  const links = [
    ...(after === null ? [] : [linkTo('/', 'Newest jobs'), ' ']),
    ...(hasOlder ? [linkTo(`/?after=${last}`, 'Older jobs')] : []),
  ];
  replace('jobs', table(heads, rows), ...(links.length === 0 ? [] : [pages(...links)]));
}

function drawWorkers(workers) {
  if (workers.length === 0) {
    return replace(
      'workers',
      empty('No workers yet. Start one: ', `muster worker ${location.origin}`),
    );
  }
  const shown = workers.slice(0, shownWorkers);
  const rows = shown.map((worker) => [
    cell('name', named(worker.name, worker.id)),
    cell('', standing(worker)),
    cell('', `${worker.type} · ${worker.platform}`),
    cell('number', `${worker.active_tasks} / ${worker.slots}`),
    cell('number', percent(worker.telemetry.cpu_load_percent)),
    cell('number', percent(worker.telemetry.battery_level_percent)),
    cell('number', grouped(worker.total_completed)),
    cell('number', grouped(worker.total_failed)),
    cell('quiet', ago(worker.last_heartbeat)),
  ]);
  const heads = [
    'Worker',
    'Status',
    'Device',
    '#Tasks / slots',
    '#CPU',
    '#Battery',
    '#Completed',
    '#Failed',
    'Last heartbeat',
  ];
  const hidden = workers.length - shown.length;
  const more = element('p', 'more', `${grouped(hidden)} more workers are not shown.`);
  replace('workers', table(heads, rows), ...(hidden > 0 ? [more] : []));
}

/** A heading that begins with # stands over numbers. */
function table(heads, rows) {
  const head = element('tr', '');
  head.append(
    ...heads.map((text) =>
      text.startsWith('#') ? element('th', 'number', text.slice(1)) : element('th', '', text),
    ),
  );
  const top = element('thead', '');
  top.append(head);
  const body = element('tbody', '');
  for (const cells of rows) {
    const row = element('tr', '');
    // On a narrow screen a row is a card, and each cell stands beside its heading.
    for (const [i, each] of cells.entries()) each.dataset['head'] = heads[i].replace('#', '');
    row.append(...cells);
    body.append(row);
  }
  const whole = element('table', '');
  whole.append(top, body);
  const panel = element('div', 'panel');
  panel.append(whole);
  return panel;
}

function progress(job) {
  const share = job.progress ?? (job.status === 'completed' ? 1 : null);
  if (share === null) return '–';
  const bar = document.createElement('progress');
  bar.max = 1;
  bar.value = share;
  bar.setAttribute('aria-label', 'How far the job is, running tasks included');
  const both = element('span', '');
  both.append(bar, ` ${share >= 1 ? 100 : Math.min(99, Math.round(share * 100))} %`);
  return both;
}

function named(name, id) {
  const both = element('span', '');
  if (name !== null) both.append(name, ' ');
  both.append(element('span', 'id', id.slice(0, shownOfId)));
  both.title = name === null ? id : `${name} (${id})`;
  return both;
}

function held({ status: word, held_since: heldSince }) {
  if (heldSince === null) return status(word);
  const whole = element('span', '');
  whole.append(status(word), ' · held');
  return whole;
}

/** The status of a worker, until when it drains, why it rests, and that it is about to go. */
function standing({ status: word, draining, leaving, rests_because: rest }) {
  const whole = element('span', '');
  whole.append(status(word));
  const deadline = draining?.deadline ?? null;
  if (word === 'draining' && deadline !== null) {
    whole.append(' until ', new Date(deadline).toLocaleTimeString());
  }
  if (rest) whole.append(` · rests: ${rest.replaceAll('_', ' ')}`);
  if (leaving) whole.append(' · leaving');
  return whole;
}

function status(word) {
  return element('span', `status status-${word}`, word);
}

function linkTo(address, content) {
  const link = document.createElement('a');
  link.href = address;
  link.append(content);
  return link;
}

function pages(...content) {
  const paragraph = element('p', 'more');
  paragraph.append(...content);
  return paragraph;
}

/** Whoever has come to a link by the keyboard stays there. */
function replace(id, ...content) {
  const place = at(id);
  const { activeElement } = document;
  const address = place.contains(activeElement) ? activeElement.getAttribute('href') : null;
  place.replaceChildren(...content);
  if (address === null) return;
  [...place.querySelectorAll('a')].find((link) => link.getAttribute('href') === address)?.focus();
}

function empty(text, command) {
  const paragraph = element('p', 'empty', text);
  paragraph.append(element('code', '', command));
  return paragraph;
}

function cell(className, content) {
  const td = element('td', className);
  td.append(content);
  return td;
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function put(id, number) {
  at(id).textContent = grouped(number);
}

function percent(value) {
  return typeof value === 'number' ? `${Math.round(value)} %` : '–';
}

function ago(timestamp) {
  const seconds = Math.floor((Date.now() - Date.parse(timestamp)) / 1000);
  if (!(seconds >= 2)) return 'just now';
  const [length, name] = units.find(([least]) => seconds >= least);
  return `${Math.floor(seconds / length)} ${name} ago`;
}

function duration(seconds) {
  const first = units.findIndex(([length]) => seconds >= length);
  if (first < 0) return 'less than a second';
  const parts = units.slice(first, first + 2).map(([length, name], i) => {
    const rest = i === 0 ? seconds : seconds % units[first][0];
    return `${Math.floor(rest / length)} ${name}`;
  });
  return parts.join(' ');
}

function tell(state, text) {
  at('connection').className = state;
  at('connection-text').textContent = text;
}
