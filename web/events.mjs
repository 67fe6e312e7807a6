// What happened, newest first; what matters is also said to screen readers, one sentence at a time.
import { announce, byId, h, keyed, setText } from './dom.mjs';
import { clock, withTitles } from './format.mjs';
import { groupOf, renderChips } from './kinds.mjs';

const SHOWN_MAX = 100;
const NAMES = {
  leader: 'leader', topology: 'topology', planning: 'planning', drain: 'drain', undrain: 'undrain', threshold: 'threshold',
  mode: 'mode', pin: 'pin', rollback: 'rollback', hot: 'hot', cool: 'cool', shed: 'shed', spill: 'spill', refused: 'table refused',
  routers: 'routers', silent: 'silent', heard: 'heard', expired: 'expired', canary: 'canary',
};
const SPOKEN = new Set(['drain', 'undrain', 'threshold', 'canary', 'expired', 'hot', 'shed', 'refused', 'silent', 'leader']);

let spoken = null; // time of the newest event that was there

export function renderEvents(store) {
  const ofTier = store.events.filter((event) => !event.tier || event.tier === store.tierName);
  renderChips(byId('event-kinds'), store.kinds, ofTier, (name) => store.toggleKind(name));
  const events = ofTier.filter((event) => store.kinds.has(groupOf(event.kind))).slice(0, SHOWN_MAX);
  byId('events-empty').hidden = events.length > 0;
  setText(byId('events-empty'), ofTier.length ? 'Nothing of the kinds that are shown.' : 'Nothing yet.');
  // Another controller counts from 1 again.
  keyed(byId('events'), events, (event) => `${event.at_ms}/${event.number}`, (event) => makeEvent(event, store));
  const newest = store.events[0]?.at_ms ?? null;
  const fresh = spoken === null ? [] : store.events.filter((event) => event.at_ms > spoken && SPOKEN.has(event.kind));
  if (fresh.length) announce(fresh.slice(0, 3).map((event) => withTitles(event.text, store.world?.regions)).join('. '));
  spoken = newest ?? spoken;
}

function makeEvent(event, store) {
  const who = event.who && h('span', { class: 'who' }, event.why ? `${event.who}: “${event.why}”` : event.who);
  return h('li', { class: `event kind-${event.kind}${event.warning ? ' warning' : ''}` },
    h('time', { datetime: new Date(event.at_ms).toISOString() }, clock(event.at_ms)),
    h('span', { class: 'kind' }, NAMES[event.kind] ?? event.kind),
    h('span', { class: 'what' }, withTitles(event.text, store.world?.regions), who));
}
