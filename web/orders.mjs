// Changing something: always shown first (a dry run with the planner of the controller), always with a name and a
// reason for the audit log, always confirmed.
import { post } from './api.mjs';
import { announce, byId, setText } from './dom.mjs';
import { renderDiff } from './diff.mjs';
import { load } from './format.mjs';

const NAME_KEY = 'ringway-operator';

export class Orders {
  #dialog = byId('order');
  #send = null;

  constructor(store) {
    this.store = store;
    byId('order-who').value = localStorage.getItem(NAME_KEY) ?? '';
    byId('order-cancel').addEventListener('click', () => this.#dialog.close());
    byId('order-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#confirm();
    });
  }

  drain(region, drain) {
    const title = this.store.title(region);
    const tier = this.store.tierName;
    this.#open({
      title: drain ? `Drain ${title}?` : `Bring ${title} back?`,
      lead: drain ? `New requests of every tier leave ${title} at the pace of its guard; jobs that run there finish.`
        : `${title} takes traffic again, a little more with every epoch.`,
      verb: drain ? 'Drain' : 'Undrain',
      preview: drain ? { tier, drain: [region] } : null,
      send: (by) => post('drain', { by, region, drain }),
    });
  }

  threshold(value, preview) {
    const tier = this.store.tierName;
    this.#open({
      title: `Set the threshold of ${tier} to ${load(value)}?`,
      lead: 'It holds in place of the topology file’s until it is set again, also after a restart.',
      verb: 'Set threshold',
      preview: { tier, overload_threshold: value },
      known: preview,
      send: (by) => post('threshold', { by, tier, overload_threshold: value }),
    });
  }

  async #open({ title, lead, verb, preview, known, send }) {
    this.#send = send;
    setText(byId('order-title'), title);
    setText(byId('order-lead'), lead);
    setText(byId('order-confirm'), verb);
    setText(byId('order-problem'), '');
    byId('order-why').value = '';
    byId('order-confirm').disabled = false;
    const box = byId('order-preview');
    box.hidden = !preview;
    box.replaceChildren();
    this.#dialog.showModal();
    (byId('order-who').value ? byId('order-why') : byId('order-who')).focus();
    if (!preview) return;
    setText(box, 'Planning…');
    try {
      box.replaceChildren(...renderDiff(known ?? (await post('dryrun', preview)), this.store));
    } catch (error) {
      setText(box, `What it would do cannot be shown: ${error.message}`);
    }
  }

  async #confirm() {
    const who = byId('order-who').value.trim();
    localStorage.setItem(NAME_KEY, who);
    byId('order-confirm').disabled = true;
    try {
      const reply = await this.#send({ who, why: byId('order-why').value.trim() });
      if (!reply.done) throw new Error(reply.message);
      this.#dialog.close();
      announce(reply.message);
    } catch (error) {
      setText(byId('order-problem'), error.message);
      byId('order-confirm').disabled = false;
    }
  }
}
