// What has been and what was ordered: orders in force with their end, who ordered what, and two earlier tables compared.
//
// Orders and the audit log are asked for when the log of events has grown, tables when somebody turns to them.
import { get } from './api.mjs';
import { byId, h, keyed, setText } from './dom.mjs';
import { clock, load, percent, plural, rate, reason, span, withTitles } from './format.mjs';

const AUDIT_SHOWN = 100;
const TABLES_SHOWN = 200;

// An order in words: what counts now.
export function orderText({ kind, region, priority, value }, title) {
  const whom = region ? title(region) : 'The tier';
  if (kind === 'drain') return value > 0 ? `${whom} is drained${value < 1 ? ` by ${percent(value)}` : ''}` : `${whom} serves fully`;
  if (kind === 'threshold') return value === null ? `${whom} has the topology’s threshold` : `${whom} has the threshold ${load(value)}`;
  if (kind === 'pin') return value ? `A row of ${whom} is fixed${priority ? ` (${priority})` : ''}` : `The rows of ${whom} are as planned`;
  return `${whom} is in mode ${value}`;
}

// When it ends, and what counts then.
export function endText(order, title, now) {
  if (!order.until_ms) return 'until it is changed';
  const then = orderText({ ...order, value: order.then }, title);
  return `until ${clock(order.until_ms, false)}, ${span((order.until_ms - now) / 1000)} from now, by ${order.who}; then ${then.charAt(0).toLowerCase()}${then.slice(1)}`;
}

// "1.3..2.9" -> {before, after}, null where it is no such text; an empty side is the table in force.
export function tablesFrom(text) {
  const found = /^(\d+\.\d+)?\.\.(\d+\.\d+)?$/.exec(text ?? '');
  return found ? { before: found[1] ?? '', after: found[2] ?? '' } : null;
}

export class Past {
  #store;
  #events = -1; // of the fleet document, when orders were asked for
  #tier = '';
  #tables = null; // {before, after} that are compared
  #listed = false;

  constructor(store) {
    this.#store = store;
    const form = byId('past-form');
    form.addEventListener('focusin', () => this.#list());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#compare({ before: byId('past-before').value, after: byId('past-after').value });
    });
  }

  get text() {
    return this.#tables ? `${this.#tables.before}..${this.#tables.after}` : '';
  }

  restore(text) {
    const tables = tablesFrom(text);
    if (text === this.text || (!tables && !this.#tables)) return;
    if (tables) return this.#compare(tables);
    this.#tables = null;
    byId('past-result').replaceChildren();
    setText(byId('past-note'), '');
  }

  render() {
    const { fleet, tierName, link, world } = this.#store;
    if (!fleet || !world || link.state !== 'live') return;
    if (this.#events === fleet.events && this.#tier === tierName) return;
    const other = this.#tier !== tierName;
    [this.#events, this.#tier] = [fleet.events, tierName];
    this.#orders().catch(() => (this.#events = -1));
    if (!other) return;
    this.#listed = false;
    if (this.#tables) this.#compare(this.#tables);
  }

  async #orders() {
    const title = (name) => this.#store.title(name);
    const [{ orders }, audit] = await Promise.all([get(`orders?tier=${encodeURIComponent(this.#tier)}`), get(`audit?limit=${AUDIT_SHOWN}`)]);
    byId('orders-empty').hidden = orders.length > 0;
    byId('orders-list').replaceChildren(...orders.map((order) => h('li', { 'data-kind': order.kind },
      h('b', {}, orderText(order, title)), h('small', {}, ` ${endText(order, title, this.#store.fleet.at_ms)}`))));
    setText(byId('audit-count'), audit.entries.length ? `Who ordered what: ${plural(audit.total, 'entry', 'entries')}` : 'Who ordered what: nobody yet');
    keyed(byId('audit'), audit.entries, (entry) => `${entry.at_ms}/${entry.who}/${entry.action}`, (entry) => h('li', {},
      h('time', { datetime: new Date(entry.at_ms).toISOString() }, `${new Date(entry.at_ms).toISOString().slice(0, 10)} ${clock(entry.at_ms)}`),
      h('span', {}, withTitles(entry.action, this.#store.world?.regions), h('span', { class: 'who' }, entry.why ? `${entry.who}: “${entry.why}”` : entry.who))));
  }

  async #list() {
    if (this.#listed) return;
    this.#listed = true;
    try {
      const { tables } = await get(`history?tier=${encodeURIComponent(this.#tier)}&limit=${TABLES_SHOWN}`);
      const options = () => tables.map((table) => h('option', { value: `${table.epoch}.${table.version}` },
        `${table.epoch}.${table.version}, ${clock(table.at_ms)}: ${withTitles(table.cause, this.#store.world?.regions).slice(0, 80)}`));
      byId('past-before').replaceChildren(...options());
      byId('past-after').replaceChildren(h('option', { value: '' }, 'in force now'), ...options());
      if (tables.length > 1) byId('past-before').selectedIndex = 1;
    } catch (error) {
      this.#listed = false;
      setText(byId('past-note'), error.message);
    }
  }

  async #compare(tables) {
    this.#tables = tables;
    this.#store.changed();
    if (!this.#tier) return; // render() asks once the tier is known
    setText(byId('past-note'), 'Comparing…');
    try {
      const found = await get(`diff?tier=${encodeURIComponent(this.#tier)}&before=${tables.before}&after=${tables.after}`);
      if (this.#tables !== tables) return;
      const name = ({ epoch, version }) => `${epoch}.${version}`;
      setText(byId('past-note'), `From ${name(found.before)} to ${name(found.after)}: ${plural(found.rows, 'row')} differ, ${percent(found.share)} of today’s traffic goes another way.` +
        (found.left_out ? ` ${found.left_out} smaller moves are not listed.` : ''));
      byId('past-result').replaceChildren(...(found.moves.length ? [this.#moves(found.moves)] : []));
    } catch (error) {
      byId('past-result').replaceChildren();
      setText(byId('past-note'), error.message);
    }
  }

  #moves(moves) {
    const head = (text, number) => h('th', { scope: 'col', class: number ? 'number' : null }, text);
    const place = (name) => (name ? this.#store.title(name) : 'nowhere');
    return h('table', { class: 'plain-table' },
      h('thead', {}, h('tr', {}, head('From'), head('To'), head('Before', true), head('After', true), head('Traffic', true))),
      h('tbody', {}, moves.map((move) => h('tr', { title: reason(move.reason) },
        h('th', { scope: 'row' }, place(move.source)), h('td', {}, move.target === move.source ? 'home' : place(move.target)),
        h('td', { class: 'number' }, percent(move.before)), h('td', { class: 'number' }, percent(move.after)), h('td', { class: 'number' }, rate(move.moved))))));
  }
}
