// What a change would do, shown before it is done: regions' loads and the rows that change, before and after.
import { h, s } from './dom.mjs';
import { rowBar, rowWords } from './bars.mjs';
import { load, plural } from './format.mjs';
import { levelOf } from './load.mjs';

const WIDTH = 120;
const LOAD_MAX = 1.4;
const LOAD_STEP = 0.005; // smaller differences are not worth a line

const scale = (value) => (WIDTH * Math.min(value, LOAD_MAX)) / LOAD_MAX;

export function headline(reply) {
  return reply.rows.length === 0 ? 'The table would stay as it is.'
    : `${plural(reply.rows.length, 'row')} of the table would change.`;
}

// The answer to a dry run -> nodes.
export function renderDiff(reply, store) {
  const moved = reply.regions.filter((region) => Math.abs(region.after - region.before) >= LOAD_STEP)
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  const parts = [h('p', { class: 'headline', 'data-changes': reply.rows.length }, headline(reply))];
  if (moved.length) parts.push(loadTable(moved, reply, store));
  if (reply.rows.length) parts.push(h('h4', {}, 'Rows, before and after'), h('ul', { class: 'diff-rows' }, reply.rows.map((row) => diffRow(row, store))));
  return parts;
}

function loadTable(regions, reply, store) {
  return h('table', { class: 'diff-loads' },
    h('caption', {}, 'Planned load'),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Region'), h('th', { scope: 'col' }, ''), h('th', { scope: 'col', class: 'number' }, 'Before'), h('th', { scope: 'col', class: 'number' }, 'After'))),
    h('tbody', {}, regions.map((region) => h('tr', { 'data-region': region.name },
      h('th', { scope: 'row' }, store.title(region.name)),
      h('td', {}, dumbbell(region, reply)),
      h('td', { class: 'number' }, load(region.before)),
      h('td', { class: 'number' }, load(region.after))))));
}

function dumbbell(region, reply) {
  const [from, to] = [scale(region.before), scale(region.after)];
  return s('svg', { class: 'dumbbell', viewBox: `-6 0 ${WIDTH + 12} 14`, 'aria-hidden': 'true' },
    s('line', { class: 'track', x1: 0, x2: WIDTH, y1: 7, y2: 7 }),
    s('line', { class: 'threshold', x1: scale(reply.threshold_after), x2: scale(reply.threshold_after), y1: 1, y2: 13 }),
    s('line', { class: 'way', x1: from, x2: to, y1: 7, y2: 7 }),
    s('circle', { class: 'before', cx: from, cy: 7, r: 3.5 }),
    s('circle', { class: `after load-${levelOf(region.after, reply.threshold_after)}`, cx: to, cy: 7, r: 4.5 }));
}

function diffRow(row, store) {
  const side = (name, routes, shed) => {
    const one = { source: row.source, routes, shed };
    return h('div', { class: 'half' }, h('span', { class: 'side-name' }, name), rowBar(one), h('ul', { class: 'row-words' }, rowWords(one, store, true)));
  };
  const many = (store.tierSettings?.priorities.length ?? 1) > 1;
  return h('li', { 'data-row': `${row.source}/${row.priority}` },
    h('strong', {}, store.title(row.source)), many ? ` · ${row.priority}` : '',
    side('now', row.before, row.shed_before), side('then', row.after, row.shed_after));
}
