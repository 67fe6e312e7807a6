// The rings of one region: who is how far away, and which rings its load has opened.
//
// The region stands in the middle; others stand in the direction in which they lie on the map, as far out as their
// round-trip time. Rings that the region uses now are drawn through, closed ones dashed.
import { s, setAttributes } from './dom.mjs';
import { load, milliseconds } from './format.mjs';
import { direction, ringRadius } from './layout.mjs';
import { levelOf } from './load.mjs';

const SIZE = 300;
const MIDDLE = SIZE / 2;
const REACH = MIDDLE - 22;
const NEIGHBOURS_MAX = 60;

export function drawRings(svg, store) {
  const { region, tier, tierSettings, regionName } = store;
  const own = tier.regions.find((other) => other.name === regionName);
  const limits = tierSettings.rings.map((ring) => ring.rtt_ms_max);
  const open = openRings(store, own);
  setAttributes(svg, { viewBox: `0 0 ${SIZE} ${SIZE}`, 'aria-label': summary(store, open) });
  const circles = tierSettings.rings.map((ring, i) => {
    const r = ringRadius(ring.rtt_ms_max, limits) * REACH;
    return s('g', { class: i < open ? 'ring open' : 'ring' },
      s('circle', { cx: MIDDLE, cy: MIDDLE, r }),
      s('text', { x: MIDDLE, y: MIDDLE - r - 4, 'text-anchor': 'middle' }, `${ring.name} ≤ ${milliseconds(ring.rtt_ms_max)}`));
  });
  const home = store.place(regionName);
  const sent = own?.sent ?? {};
  const most = Math.max(0.2, ...Object.entries(sent).map(([name, rps]) => (name === regionName ? 0 : rps)));
  const points = region.neighbours.slice(0, NEIGHBOURS_MAX).map((other) => {
    const angle = direction(home, store.place(other.name));
    const distance = ringRadius(other.rtt_ms, limits) * REACH;
    const there = tier.regions.find((candidate) => candidate.name === other.name);
    return { ...other, x: MIDDLE + Math.cos(angle) * distance, y: MIDDLE + Math.sin(angle) * distance, there, rps: sent[other.name] ?? 0 };
  });
  const spokes = points.filter((point) => point.rps > 0.02).map((point) =>
    s('line', { class: 'spoke', x1: MIDDLE, y1: MIDDLE, x2: point.x, y2: point.y, 'stroke-width': (1 + 4 * Math.sqrt(point.rps / most)).toFixed(1) }));
  const dots = points.map((point) =>
    s('g', { class: `dot load-${levelOf(point.there?.load ?? 0, tier.threshold)}${point.ring < 0 || point.forbidden ? ' beyond' : ''}`, transform: `translate(${point.x.toFixed(1)} ${point.y.toFixed(1)})` },
      s('circle', { class: 'body', r: 6 }),
      s('title', {}, `${store.title(point.name)}: ${milliseconds(point.rtt_ms)}${point.estimated ? ' (estimated)' : ''}`)));
  const middle = s('g', { class: `dot own load-${levelOf(own?.load ?? 0, tier.threshold)}`, transform: `translate(${MIDDLE} ${MIDDLE})` },
    s('circle', { class: 'body', r: 11 }));
  svg.replaceChildren(...circles, ...spokes, ...dots, middle);
}

// How many rings the region uses or may use: those that its load unlocks, and any that the table already uses.
export function openRings(store, own) {
  const byLoad = store.tierSettings.rings.filter((ring) => (own?.home ?? 0) >= ring.unlock_load).length;
  const used = store.rows.filter((row) => row.source === own?.name).flatMap((row) => row.routes.map((route) => (route.ring ?? -1) + 1));
  return own && own.home > store.tier.threshold ? Math.max(byLoad, ...used) : Math.max(0, ...used);
}

function summary(store, open) {
  const parts = store.tierSettings.rings.map((ring, i) => {
    const members = store.region.neighbours.filter((other) => other.ring === i).map((other) => store.title(other.name));
    return `${ring.name}, up to ${milliseconds(ring.rtt_ms_max)}, unlocked at load ${load(ring.unlock_load)}, ${i < open ? 'in use' : 'not in use'}: ${members.join(', ') || 'nobody'}`;
  });
  return `Rings of ${store.title(store.regionName)}. ${parts.join('. ')}`;
}
