// All regions as a table: the same numbers as on the map, for eyes and for screen readers.
import { h, keyed, s, setAttributes, setText } from './dom.mjs';
import { load, percent, rate } from './format.mjs';
import { levelOf, levelText } from './load.mjs';

const BAR = 64;
const BAR_LOAD_MAX = 1.25;

export function renderRegions(body, store) {
  const { tier } = store;
  const regions = tier ? [...tier.regions].sort((a, b) => b.load - a.load || a.name.localeCompare(b.name)) : [];
  // While a row has the focus the order stands still: a table that moves under the hand is no table.
  const ordered = body.contains(document.activeElement) ? inOrderOf(body, regions) : regions;
  keyed(body, ordered, (region) => region.name, (region) => makeRow(region, store), (row, region) => updateRow(row, region, store));
}

function inOrderOf(body, regions) {
  const place = new Map([...body.children].map((row, index) => [row.dataset.region, index]));
  return [...regions].sort((a, b) => (place.get(a.name) ?? 1e9) - (place.get(b.name) ?? 1e9));
}

function makeRow({ name }, store) {
  const select = () => store.selectRegion(name);
  return h('tr', { 'data-region': name },
    h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link', onclick: select }, store.title(name)), h('span', { class: 'tags' })),
    h('td', { class: 'loads' }, s('svg', { class: 'load-bar', viewBox: `0 0 ${BAR} 10`, 'aria-hidden': 'true' },
      s('rect', { class: 'track', width: BAR, height: 6, y: 2, rx: 3 }), s('rect', { class: 'fill', height: 6, y: 2, rx: 3 }),
      s('line', { class: 'threshold', y1: 0, y2: 10 })), h('span', { class: 'number' })),
    h('td', { class: 'number' }), h('td', { class: 'number' }), h('td', { class: 'number' }));
}

function updateRow(row, region, store) {
  const { threshold } = store.tier;
  const [head, loads, demand, away, workers] = row.children;
  const level = levelOf(region.load, threshold);
  setAttributes(row, { class: store.regionName === region.name ? 'selected' : null });
  setText(head.firstChild, store.title(region.name));
  const tags = [region.drain && 'draining', !region.drain && region.drained > 0 && 'returning', region.pinned && 'pinned',
    region.shed > 0.0005 && `${percent(region.shed)} shed`,
    region.health !== 'fresh' && region.workers > 0 && region.health].filter(Boolean);
  setText(head.lastChild, tags.join(' · '));
  const [bar, number] = loads.children;
  const scale = (value) => (BAR * Math.min(value, BAR_LOAD_MAX)) / BAR_LOAD_MAX;
  setAttributes(bar, { class: `load-bar load-${level}` });
  setAttributes(bar.children[1], { width: scale(region.load).toFixed(1) });
  setAttributes(bar.children[2], { x1: scale(threshold), x2: scale(threshold) });
  setText(number, load(region.load));
  setAttributes(number, { title: levelText(region.load, threshold), class: `number${level >= 4 ? ' strong' : ''}` });
  setText(demand, rate(region.demand));
  setText(away, region.away > 0.0005 ? percent(region.away) : '');
  setText(workers, region.seen === region.workers ? String(region.workers) : `${region.seen}/${region.workers}`);
}
