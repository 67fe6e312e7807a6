// Kinds of events in groups that can be shown or left out. Pure, but for the chips.
//
// A busy fleet spills all the time, and what somebody did or what broke drowns in it: so spill is left out until it is
// asked for, and the chip says how many there are.
import { h, keyed, setAttributes, setText } from './dom.mjs';

export const GROUPS = [
  { name: 'orders', title: 'Orders', kinds: ['drain', 'undrain', 'threshold', 'mode', 'pin', 'rollback', 'canary', 'expired'], standard: true },
  { name: 'load', title: 'Load', kinds: ['hot', 'cool', 'shed'], standard: true },
  { name: 'fleet', title: 'Fleet', kinds: ['leader', 'topology', 'planning', 'refused', 'routers', 'silent', 'heard'], standard: true },
  { name: 'spill', title: 'Spill', kinds: ['spill'], standard: false },
];

const STANDARD = GROUPS.filter((group) => group.standard).map((group) => group.name);

// Kinds that are newer than this page count as fleet.
export const groupOf = (kind) => GROUPS.find((group) => group.kinds.includes(kind))?.name ?? 'fleet';

// "orders,load" -> the groups in it; nothing that is known: the standard.
export function groupsFrom(text) {
  const asked = new Set((text ?? '').split(','));
  if (asked.has('none')) return new Set();
  const known = GROUPS.filter((group) => asked.has(group.name)).map((group) => group.name);
  return new Set(known.length ? known : STANDARD);
}

// What stands in the address; empty for the standard.
export function textOf(groups) {
  const names = GROUPS.filter((group) => groups.has(group.name)).map((group) => group.name);
  if (names.join() === STANDARD.join()) return '';
  return names.length ? names.join() : 'none';
}

export function renderChips(root, groups, events, toggle) {
  keyed(root, GROUPS, (group) => group.name,
    (group) => h('button', { type: 'button', class: 'chip', onclick: () => toggle(group.name) }),
    (chip, group) => {
      const count = events.filter((event) => groupOf(event.kind) === group.name).length;
      setText(chip, count ? `${group.title} ${count}` : group.title);
      setAttributes(chip, { 'aria-pressed': String(groups.has(group.name)), 'data-group': group.name });
    });
}
