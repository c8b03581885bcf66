// Asks the public interface every two seconds and draws what it says; text only, never HTML.

const pauseMs = 2000;
const shownJobs = 15;
const shownWorkers = 50;
const openStatuses = new Set(['pending', 'running']);

let lastCount = null;

const at = (id) => document.getElementById(id);
const integer = new Intl.NumberFormat('en');
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

void refresh();

async function refresh() {
  try {
    if (!document.hidden) await draw();
    tell('live', document.hidden ? 'Paused' : 'Live');
  } catch (error) {
    lastCount = null;
    const isRefusal = typeof error?.detail === 'string';
    tell('lost', isRefusal ? error.detail : 'The coordinator does not answer; trying again.');
  }
  setTimeout(() => void refresh(), pauseMs);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) draw().catch(() => {});
});

async function draw() {
  const [stats, config, jobs, workers] = await Promise.all([
    ask('/api/stats'),
    ask('/api/scheduler/config'),
    ask(`/api/jobs?limit=${shownJobs}`),
    ask('/api/workers'),
  ]);
  const heads = await Promise.all(jobs.map(headOf));
  drawCounters(stats, config);
  drawJobs(heads, stats.total_jobs);
  drawWorkers(workers);
  at('footer').textContent = `Up for ${duration(stats.uptime_seconds)}.`;
}

async function ask(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  const body = await response.json();
  if (!response.ok) throw body;
  return body;
}

/** Counters of open jobs are asked for; those of ended ones never change what is drawn here. */
async function headOf(job) {
  if (!openStatuses.has(job.status)) return job;
  return ask(`/api/jobs/${encodeURIComponent(job.id)}?tasks=false`).catch(() => job);
}

function drawCounters(stats, config) {
  put('online-workers', stats.online_workers);
  put('running-jobs', stats.running_jobs);
  put('completed-jobs', stats.completed_jobs);
  put('tasks-completed', stats.total_tasks_completed);
  at('total-workers').textContent = `${integer.format(stats.total_workers)} registered`;
  at('total-jobs').textContent = `${integer.format(stats.total_jobs)} in all`;
  at('failed-jobs').textContent = `${integer.format(stats.failed_jobs)} failed`;
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
  return `${integer.format(perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond))} per second`;
}

function drawJobs(jobs, total) {
  if (jobs.length === 0) {
    return at('jobs').replaceChildren(
      empty('No jobs yet. Submit one: ', 'muster submit program.js --inputs inputs.json'),
    );
  }
  const rows = jobs.map((job) => [
    cell('name', named(job.name, job.id)),
    cell('', held(job)),
    cell('', progress(job)),
    cell('number', integer.format(job.task_count)),
    cell('', job.client_id),
    cell('quiet', since(job.created_at)),
  ]);
  const more = element(
    'p',
    'more',
    `${integer.format(total - jobs.length)} older jobs are not shown.`,
  );
  const heads = ['Job', 'Status', 'Progress', '#Tasks', 'Client', 'Submitted'];
  at('jobs').replaceChildren(table(heads, rows), ...(total > jobs.length ? [more] : []));
}

function drawWorkers(workers) {
  if (workers.length === 0) {
    return at('workers').replaceChildren(
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
    cell('number', integer.format(worker.total_completed)),
    cell('number', integer.format(worker.total_failed)),
    cell('quiet', since(worker.last_heartbeat)),
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
  const more = element('p', 'more', `${integer.format(hidden)} more workers are not shown.`);
  at('workers').replaceChildren(table(heads, rows), ...(hidden > 0 ? [more] : []));
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
  if (share === null) return document.createTextNode('–');
  const bar = document.createElement('progress');
  bar.max = 1;
  bar.value = share;
  bar.setAttribute('aria-label', 'How far the job is, running tasks included');
  const both = element('span', '');
  both.append(bar, ` ${Math.floor(share * 100)} %`);
  return both;
}

function named(name, id) {
  const both = element('span', '');
  const short = id.length > 13 ? `…${id.slice(-12)}` : id;
  if (name !== null) both.append(name, ' ');
  both.append(element('span', 'id', short));
  both.title = name === null ? id : `${name} (${id})`;
  return both;
}

function held({ status: word, held_since: heldSince }) {
  if (heldSince === null) return status(word);
  const whole = element('span', '');
  whole.append(status(word), ' · held');
  return whole;
}

/** The status of a worker, until when it drains, and that it is about to go. */
function standing({ status: word, draining, leaving }) {
  const whole = element('span', '');
  whole.append(status(word));
  const deadline = draining?.deadline ?? null;
  if (word === 'draining' && deadline !== null) {
    whole.append(' until ', new Date(deadline).toLocaleTimeString());
  }
  if (leaving) whole.append(' · leaving');
  return whole;
}

function status(word) {
  return element('span', `status status-${word}`, word);
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
  at(id).textContent = integer.format(number);
}

function percent(value) {
  return typeof value === 'number' ? `${Math.round(value)} %` : '–';
}

function since(timestamp) {
  const seconds = Math.min(0, Math.round((Date.parse(timestamp) - Date.now()) / 1000));
  if (seconds > -60) return relative.format(seconds, 'second');
  if (seconds > -3600) return relative.format(Math.round(seconds / 60), 'minute');
  if (seconds > -86_400) return relative.format(Math.round(seconds / 3600), 'hour');
  return relative.format(Math.round(seconds / 86_400), 'day');
}

function duration(seconds) {
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
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
