// What happened, newest first; what matters is also said to screen readers, one sentence at a time.
import { announce, byId, h, keyed } from './dom.mjs';
import { clock } from './format.mjs';

const SHOWN_MAX = 100;
const NAMES = {
  leader: 'leader', topology: 'topology', planning: 'planning', drain: 'drain', undrain: 'undrain', threshold: 'threshold',
  mode: 'mode', pin: 'pin', rollback: 'rollback', hot: 'hot', cool: 'cool', shed: 'refusing', spill: 'spill', refused: 'table refused',
  routers: 'routers', silent: 'silent', heard: 'heard',
};
const SPOKEN = new Set(['drain', 'undrain', 'threshold', 'hot', 'shed', 'refused', 'silent', 'leader']);

let spoken = null; // time of the newest event that was there

export function renderEvents(store) {
  const events = store.events.filter((event) => !event.tier || event.tier === store.tierName).slice(0, SHOWN_MAX);
  byId('events-empty').hidden = events.length > 0;
  // Another controller counts from 1 again.
  keyed(byId('events'), events, (event) => `${event.at_ms}/${event.number}`, makeEvent);
  const newest = store.events[0]?.at_ms ?? null;
  const fresh = spoken === null ? [] : store.events.filter((event) => event.at_ms > spoken && SPOKEN.has(event.kind));
  if (fresh.length) announce(fresh.slice(0, 3).map((event) => event.text).join('. '));
  spoken = newest ?? spoken;
}

function makeEvent(event) {
  const who = event.who && h('span', { class: 'who' }, event.why ? `${event.who}: “${event.why}”` : event.who);
  return h('li', { class: `event kind-${event.kind}${event.warning ? ' warning' : ''}` },
    h('time', { datetime: new Date(event.at_ms).toISOString() }, clock(event.at_ms)),
    h('span', { class: 'kind' }, NAMES[event.kind] ?? event.kind),
    h('span', { class: 'what' }, event.text, who));
}
