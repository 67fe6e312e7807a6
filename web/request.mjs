// The search for one request: what became of it, step by step, as the routers where it was remember it.
import { get } from './api.mjs';
import { byId, h, setText } from './dom.mjs';
import { clock, DASH, ringName, seconds } from './format.mjs';

const OUTCOMES = { done: 'done', shed: 'shed', rejected: 'rejected', busy: 'busy', timeout: 'too late', failed: 'failed', cancelled: 'cancelled' };

export class RequestSearch {
  #store;
  #shown = '';

  constructor(store) {
    this.#store = store;
    byId('request-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.find(byId('request-id').value.trim());
    });
    byId('request-close').addEventListener('click', () => {
      this.find('');
      byId('request-id').focus();
    });
    byId('request-card').addEventListener('keydown', (event) => event.key === 'Escape' && this.find(''));
  }

  get id() {
    return this.#shown;
  }

  async find(id, focus = true) {
    this.#shown = id;
    this.#store.changed();
    const card = byId('request-card');
    card.hidden = id === '';
    if (id === '') return;
    byId('request-id').value = id;
    setText(byId('request-title'), `Request ${id}`);
    byId('request-traces').replaceChildren();
    setText(byId('request-note'), 'Asking the routers…');
    if (focus) byId('request-title').focus();
    try {
      const found = await get(`request?id=${encodeURIComponent(id)}`);
      if (this.#shown !== id) return;
      setText(byId('request-note'), summary(found));
      byId('request-traces').replaceChildren(...found.traces.map((trace) => this.#trace(trace)));
    } catch (error) {
      if (this.#shown === id) setText(byId('request-note'), sentence(error.message));
    }
  }

  #trace(trace) {
    const place = (name) => (name ? this.#store.title(name) : DASH);
    const facts = [
      ['Router', trace.forwarded ? `${trace.router}, forwarded by another` : `${trace.router}, where it entered`],
      ['Route', trace.region && trace.region !== trace.source ? `${place(trace.source)} to ${place(trace.region)}` : place(trace.source)],
      ['Why', [...new Set([trace.reason, ringOf(trace, this.#store), `table ${trace.table}`].filter(Boolean))].join(', ')],
      ['Worker', trace.worker || 'none began it'],
      ['Offers', `${trace.offers} to workers, ${trace.busy} met a busy one`],
      ['Time', `waited ${seconds(trace.wait_s)}, ran ${seconds(trace.service_s)}, network ${seconds(trace.network_s)}`],
    ];
    return h('article', { class: 'trace', 'data-outcome': trace.outcome },
      h('h3', {}, `${OUTCOMES[trace.outcome] ?? trace.outcome} at ${clock(trace.arrived_ms)}`, trace.message && h('span', { class: 'quiet' }, ` ${trace.message}`)),
      h('dl', { class: 'facts' }, facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
      h('ol', { class: 'steps' }, trace.steps.map((step) => h('li', {}, h('span', { class: 'number' }, seconds(step.at_s)), ` ${stepText(step)}`)),
        trace.steps_left_out > 0 && h('li', {}, `and ${trace.steps_left_out} more steps`)));
  }
}

export function summary(found) {
  const silent = found.asked - found.answered;
  const routers = `${found.traces.length} of ${found.answered} routers ${found.traces.length === 1 ? 'remembers' : 'remember'} it`;
  return silent > 0 ? `${routers}; ${silent} did not answer.` : `${routers}.`;
}

export function stepText({ what, whom, detail }) {
  if (what === 'answered') return `answered by ${whom}: ${detail}`;
  if (what === 'accepted') return `accepted by ${whom} in ${detail}`;
  return whom ? `${what} to ${whom}${detail ? ` (${detail})` : ''}` : what;
}

function ringOf(trace, store) {
  if (trace.ring < 0) return 'home';
  const rings = store.world?.tiers.find((tier) => tier.name === trace.tier)?.rings ?? [];
  return `ring ${ringName(rings, trace.ring)}`;
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
