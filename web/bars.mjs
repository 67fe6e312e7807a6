// A row of the routing table as one bar: home, each other target, and what is shed; with the words beside it.
import { h, s } from './dom.mjs';
import { milliseconds, percent, reason, ringName } from './format.mjs';
import { segmentsOf } from './flows.mjs';

const WIDTH = 200;
const HEIGHT = 10;

export function rowBar(row) {
  let x = 0;
  const parts = segmentsOf(row).map((segment, i) => {
    const width = segment.share * WIDTH;
    const rect = s('rect', { class: `segment ${segment.kind} tint-${i % 3}`, x: x.toFixed(1), y: 0, width: Math.max(0.5, width - 1).toFixed(1), height: HEIGHT, rx: 2 });
    x += width;
    return rect;
  });
  return s('svg', { class: 'row-bar', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, parts);
}

// "72 % home", "28 % Paris (near, 12 ms): the source is above its threshold".
export function rowWords(row, store, brief = false) {
  const rings = store.tierSettings?.rings ?? [];
  return segmentsOf(row).map((segment) => {
    if (segment.kind === 'home') return h('li', {}, h('b', {}, percent(segment.share)), ' home');
    if (segment.kind === 'shed') return h('li', { class: 'shed' }, h('b', {}, percent(segment.share)), ' shed: nothing in reach has room');
    const ring = segment.ring === undefined ? '' : `${ringName(rings, segment.ring)}, `;
    const words = h('li', { title: reason(segment.reason) }, h('b', {}, percent(segment.share)), ` ${store.title(segment.target)} `);
    if (!brief) words.append(h('small', {}, `${ring}${milliseconds(segment.rtt_ms)}; ${reason(segment.reason)}`));
    return words;
  });
}
