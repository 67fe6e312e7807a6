// Numbers and times as a person reads them. Pure.

export const DASH = '–';

export function percent(share) {
  if (!Number.isFinite(share)) return DASH;
  const value = share * 100;
  if (value !== 0 && Math.abs(value) < 0.95) return `${value.toFixed(1)} %`;
  return `${Math.round(value)} %`;
}

// Requests per second.
export function rate(rps) {
  if (!Number.isFinite(rps)) return DASH;
  if (rps >= 10000) return `${(rps / 1000).toFixed(0)}k/s`;
  if (rps >= 1000) return `${(rps / 1000).toFixed(1)}k/s`;
  if (rps >= 100) return `${Math.round(rps)}/s`;
  return `${rps.toFixed(1)}/s`;
}

export const load = (value) => (Number.isFinite(value) ? value.toFixed(2) : DASH);

export function milliseconds(ms) {
  if (!Number.isFinite(ms)) return DASH;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

export function span(seconds) {
  if (!Number.isFinite(seconds)) return DASH;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

// A time that a job took or waited.
export function seconds(value) {
  if (!Number.isFinite(value)) return DASH;
  return value < 0.0995 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(value < 9.95 ? 2 : 1)} s`;
}

// A share that is best at 1: the digits that tell it from 1.
export function nines(share) {
  if (!Number.isFinite(share)) return DASH;
  if (share >= 1) return '100 %';
  return `${(Math.floor(share * 10000) / 100).toFixed(2)} %`;
}

// Text of the controller with the regions called as on the map: whole names only, the longest first.
export function withTitles(text, regions = []) {
  const titles = new Map(regions.filter((region) => region.title && region.title !== region.name).map((region) => [region.name, region.title]));
  if (titles.size === 0) return text;
  const names = [...titles.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text.replace(new RegExp(`(?<![\\w-])(${names.join('|')})(?![\\w-]|/)`, 'g'), (name) => titles.get(name));
}

// A long sentence in two: what two lines hold, cut where it pauses, and the rest.
export function brief(text, most = 130) {
  if (text.length <= most) return { head: text, rest: '' };
  const pauses = ['; ', '. ', ': ', ', ', ' '].map((pause) => text.lastIndexOf(pause, most - pause.length));
  const cut = pauses.find((at) => at >= 40) ?? most - 1;
  return { head: text.slice(0, cut + 1).trimEnd(), rest: text.slice(cut + 1).trimStart() };
}

const pad = (number) => String(number).padStart(2, '0');

// The visitor's own clock.
export function clock(ms, withSeconds = true) {
  const time = new Date(ms);
  const text = `${pad(time.getHours())}:${pad(time.getMinutes())}`;
  return withSeconds ? `${text}:${pad(time.getSeconds())}` : text;
}

// What time it is at a place, from its offset to UTC.
export function localClock(ms, offsetMinutes) {
  const time = new Date(ms + offsetMinutes * 60000);
  return `${pad(time.getUTCHours())}:${pad(time.getUTCMinutes())}`;
}

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

// How a ring of a tier is called, everywhere on the page; its number while the topology is not here yet.
export const ringName = (rings, index) => rings[index]?.name ?? String(index + 1);

// Why a request leaves home, as a clause.
const REASONS = {
  home: 'served where it entered',
  overload: 'the source is above its threshold',
  displaced: 'moved on to make room for another region',
  drain: 'the source is being drained',
  'no-workers': 'the source has no workers',
  level: 'everything in reach is full, so the overload is levelled',
  pinned: 'an operator fixed this row',
};
export const reason = (name) => REASONS[name.replaceAll('_', '-')] ?? name;
