// What is in a region beside its rings: its workers, its routers, and what is known of jobs, as tables that sort.
//
// The lists are asked for while they are looked at, every few seconds, in pages; how many there are is said always.
import { get } from './api.mjs';
import { byId, h, setText } from './dom.mjs';
import { clock, DASH, percent, plural, rate, seconds, span } from './format.mjs';
import { renderSorted } from './sortable.mjs';
import { fare } from './sums.mjs';

export const PARTS = ['rings', 'workers', 'routers', 'jobs'];
const PAGE = 500;
const PAGES_MAX = 8; // beyond, the table would be too large for a page
const AGAIN_MS = 2500;

const WORKERS = [
  { key: 'name', title: 'Worker', value: (w) => w.name, cell: (w) => w.name },
  { key: 'state', title: 'State', value: (w) => w.state, cell: (w) => w.state + (w.adopted ? ', adopted' : '') },
  { key: 'busy', title: 'Busy', number: true, value: (w) => w.busy, cell: (w) => percent(w.busy) },
  { key: 'address', title: 'Address', value: (w) => w.address, cell: (w) => w.address || DASH },
  { key: 'router', title: 'Router', value: (w) => w.router, cell: (w) => w.router },
];

const routersAt = (now) => [
  { key: 'name', title: 'Router', value: (r) => r.name, cell: (r) => r.name },
  { key: 'state', title: 'State', value: (r) => r.state, cell: (r) => (r.since_ms === null ? r.state : `${r.state}, ${span((now() - r.since_ms) / 1000)}`) },
  { key: 'table', title: 'Table', value: (r) => r.table, cell: (r) => tableText(r) },
  { key: 'workers', title: 'Workers', number: true, value: (r) => r.workers, cell: (r) => String(r.workers) },
  { key: 'address', title: 'Address', value: (r) => r.address, cell: (r) => r.address || DASH },
];

// "12.40", "12.38, late since 14:05:01".
export function tableText({ table, late, late_since_ms: since }) {
  const held = table || 'none';
  if (!late) return held;
  return since === null ? `${held}, late` : `${held}, late since ${clock(since)}`;
}

// "14 workers: 10 idle, 3 busy, 1 unwell"
export function countsText(total, one, counts) {
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([state, count]) => `${count} ${state}`);
  return parts.length ? `${plural(total, one)}: ${parts.join(', ')}` : `no ${one} has been heard of`;
}

export class Members {
  #store;
  #asked = ''; // what the list is of
  #pages = 1;
  #list = null; // {total, counts, rows, late}
  #askedAt = 0;
  #routers;

  constructor(store) {
    this.#store = store;
    this.#routers = routersAt(() => store.fleet?.at_ms ?? Date.now());
    byId('members-more').addEventListener('click', () => {
      ++this.#pages;
      this.#ask();
    });
  }

  // own: the region of the fleet document that is looked at.
  render(own) {
    const store = this.#store;
    const { part } = store;
    byId('part-list').hidden = part === 'rings';
    if (part === 'rings') return;
    const key = JSON.stringify([store.tierName, own.name, part]);
    if (key !== this.#asked) {
      this.#asked = key;
      this.#pages = 1;
      this.#list = null;
      byId('members').columnsOf = null;
      byId('members').replaceChildren();
      setText(byId('members-note'), 'Asking…');
      this.#ask();
    } else if (Date.now() - this.#askedAt > AGAIN_MS && store.link.state === 'live') {
      this.#ask();
    }
    byId('members').hidden = part === 'jobs';
    byId('jobs-facts').hidden = part !== 'jobs';
    if (this.#list) this.#draw(own, part);
  }

  async #ask() {
    this.#askedAt = Date.now();
    const asked = this.#asked;
    const [tier, region, part] = JSON.parse(asked);
    const kind = part === 'routers' ? 'routers' : 'workers';
    try {
      let list = null;
      for (let page = 0; page < this.#pages; ++page) {
        const got = await get(`${kind}?tier=${encodeURIComponent(tier)}&region=${encodeURIComponent(region)}&from=${page * PAGE}`);
        list = { ...got, rows: [...(list?.rows ?? []), ...got[kind]] };
        if (list.rows.length >= got.total) break;
      }
      if (asked !== this.#asked) return;
      this.#list = list;
    } catch (error) {
      if (asked === this.#asked && !this.#list) setText(byId('members-note'), error.message);
    }
    this.#store.changed();
  }

  #draw(own, part) {
    const { total, counts, rows, late } = this.#list;
    const left = total - rows.length;
    const note = countsText(total, part === 'routers' ? 'router' : 'worker', counts);
    setText(byId('members-note'), part === 'jobs' ? '' : `${note}${late ? `; ${late} late with the table` : ''}${left > 0 ? `; ${left} are not listed` : ''}`);
    byId('members-more').hidden = part === 'jobs' || left <= 0 || this.#pages >= PAGES_MAX;
    if (part === 'jobs') return this.#jobs(own, counts, total);
    renderSorted(byId('members'), {
      columns: part === 'routers' ? this.#routers : WORKERS, rows, keyOf: (row) => `${row.tier ?? ''}/${row.name}`,
      order: this.#store.sort, choose: (text) => this.#store.sortBy(text),
    });
  }

  // What the controller knows without asking a router: rates, means of the tier, and who works.
  #jobs(own, counts, total) {
    const told = fare(this.#store.tier.outcomes);
    const facts = [
      ['Running', `${counts.busy ?? 0} of ${plural(total, 'worker')}, as last reported`],
      ['Demand', rate(own.demand)],
      ['Served here', rate(own.served)],
      ['Wait', `${seconds(told.wait)}, mean of the tier`],
      ['Latency', `${seconds(told.latency)}, mean of the tier`],
    ];
    const list = byId('jobs-list');
    while (list.children.length < facts.length) list.append(h('div', {}, h('dt'), h('dd')));
    facts.forEach(([name, text], i) => {
      setText(list.children[i].firstChild, name);
      setText(list.children[i].lastChild, text);
    });
  }
}
