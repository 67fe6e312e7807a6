// The selected region: its numbers, its rings, why its traffic goes where it goes, and the drain button.
import { byId, h, setAttributes, setText } from './dom.mjs';
import { brief, load, localClock, percent, rate, withTitles } from './format.mjs';
import { levelText } from './load.mjs';
import { Members } from './members.mjs';
import { drawRings } from './rings.mjs';
import { listenToTabs, showTab } from './tabs.mjs';

export class Panel {
  #root = byId('panel');
  #orders;
  #shown = '';
  #members;

  constructor(store, orders) {
    this.store = store;
    this.#orders = orders;
    this.#members = new Members(store);
    listenToTabs(byId('panel-tabs'), (part) => store.showPart(part));
    byId('panel-figures').addEventListener('click', (event) => event.target.closest('[data-part]') && store.showPart(event.target.closest('[data-part]').dataset.part));
    byId('panel-back').addEventListener('click', () => {
      store.selectRegion('');
      byId('region-rows').querySelector('button')?.focus();
    });
    byId('drain').addEventListener('click', () => this.#order());
    this.#root.addEventListener('keydown', (event) => event.key === 'Escape' && store.selectRegion(''));
  }

  #own() {
    return this.store.tier?.regions.find((region) => region.name === this.store.regionName);
  }

  #order() {
    const own = this.#own();
    if (own) this.#orders.drain(own.name, !own.drain);
  }

  render() {
    const own = this.#own();
    this.#root.hidden = !own;
    byId('all-regions').hidden = Boolean(own);
    if (!own) {
      this.#shown = '';
      return;
    }
    const { store } = this;
    setText(byId('panel-title'), store.title(own.name));
    const place = store.place(own.name);
    setText(byId('panel-name'), `${own.name} · ${localClock(store.fleet.at_ms, place.utc_offset_minutes)} there`);
    this.#figures(own);
    this.#button(own);
    showTab(byId('panel-tabs'), store.part);
    byId('part-rings').hidden = store.part !== 'rings';
    setAttributes(byId('part-list'), { 'aria-labelledby': `tab-${store.part === 'rings' ? 'workers' : store.part}` });
    this.#members.render(own);
    if (store.region && store.part === 'rings') {
      drawRings(byId('rings'), store);
      this.#explain(store.region.lines.map((line) => withTitles(line, store.world?.regions)));
    }
    if (this.#shown !== own.name) {
      this.#shown = own.name;
      if (this.#root.contains(document.activeElement) || document.activeElement?.closest('#all-regions, .places')) byId('panel-title').focus({ preventScroll: true });
    }
  }

  // What is longer than two lines is folded; what somebody has unfolded stays so.
  #explain(told) {
    const lines = byId('panel-lines');
    if (lines.print === told.join('')) return;
    lines.print = told.join('');
    const open = [...lines.children].map((line) => line.querySelector('details')?.open);
    lines.replaceChildren(...told.map((line, i) => {
      const { head, rest } = brief(line);
      return h('li', {}, rest ? h('details', { open: open[i] }, h('summary', {}, head), rest) : head);
    }));
  }

  #figures(own) {
    const { threshold } = this.store.tier;
    const figures = [
      ['Load', `${load(own.load)}`, levelText(own.load, threshold)],
      ['Home load', load(own.home), `threshold ${load(threshold)}`],
      ['Demand', rate(own.demand), own.shed > 0.0005 ? `${percent(own.shed)} shed` : 'nothing shed'],
      ['Away', percent(own.away), `${rate(own.served)} served here`],
      ['Workers', `${own.seen}/${own.workers}`, own.health === 'fresh' ? 'reporting' : own.health],
    ];
    const list = byId('panel-figures');
    while (list.children.length < figures.length) {
      const value = list.children.length === figures.length - 1 ? h('button', { type: 'button', class: 'link', 'data-part': 'workers' }) : h('span');
      list.append(h('div', {}, h('dt'), h('dd', {}, h('b', {}, value), h('small'))));
    }
    figures.forEach(([name, value, note], i) => {
      const [dt, dd] = list.children[i].children;
      setText(dt, name);
      setText(dd.firstChild.firstChild, value);
      if (name === 'Workers') setAttributes(dd.firstChild.firstChild, { 'aria-label': `${value} workers, list them` });
      setText(dd.lastChild, note);
    });
  }

  #button(own) {
    const writes = this.store.ability?.writes;
    const button = byId('drain');
    setText(button, own.drain ? 'Undrain…' : 'Drain…');
    setAttributes(button, { disabled: !writes, 'aria-describedby': writes ? null : 'looking-only' });
    const state = own.drain ? `draining: ${percent(own.drained)} done` : own.drained > 0 ? `coming back: ${percent(1 - own.drained)}` : '';
    setText(byId('drain-state'), state);
    byId('looking-only').hidden = Boolean(writes);
  }
}
