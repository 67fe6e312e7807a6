// What if the threshold were another, regions were drained, or their demand grew: planned by the controller on the numbers of
// now, shown as a difference. What was asked stands in the address, and is asked again by whoever opens it.
import { post } from './api.mjs';
import { byId, h, keyed, setText } from './dom.mjs';
import { renderDiff } from './diff.mjs';
import { clock, load, percent } from './format.mjs';
import { bodyOf, describe, isEmpty, planFrom, textOfPlan } from './plan.mjs';

export class WhatIf {
  #slider = byId('threshold-slider');
  #number = byId('threshold-number');
  #apply = byId('threshold-apply');
  #preview = null; // the last answer, and for what
  #asked = null; // the plan that is shown
  #waiting = null; // of an address, until the tier is known
  #tier = '';
  #drain = new Map();
  #scale = new Map();

  constructor(store, orders) {
    this.store = store;
    this.#slider.addEventListener('input', () => this.#edit(this.#slider.value));
    this.#number.addEventListener('input', () => this.#edit(this.#number.value));
    byId('drain-add').addEventListener('click', () => this.#add('drain', this.#drain, 100));
    byId('scale-add').addEventListener('click', () => this.#add('scale', this.#scale, 1));
    byId('threshold-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#ask();
    });
    this.#apply.addEventListener('click', () => orders.threshold(this.#preview.value, this.#preview.reply));
  }

  // What stands in the address.
  get text() {
    return textOfPlan(this.#waiting ?? this.#asked);
  }

  // An address was opened, or somebody went back.
  restore(view) {
    const plan = planFrom(view);
    if (JSON.stringify(textOfPlan(plan)) === JSON.stringify(this.text)) return;
    if (isEmpty(plan) && this.#tier) return this.#clear();
    this.#waiting = isEmpty(plan) ? null : plan;
    this.render();
  }

  #clear() {
    this.#preview = this.#asked = this.#waiting = null;
    this.#drain.clear();
    this.#scale.clear();
    byId('threshold-result').replaceChildren();
    setText(byId('threshold-when'), '');
    if (this.store.tier) this.#slider.value = this.#number.value = this.store.tier.threshold.toFixed(2);
    this.render();
  }

  #edit(value) {
    this.#slider.value = value;
    if (this.#number.value !== value) this.#number.value = value;
    this.#changed();
  }

  // What was shown is not what would be applied any more.
  #changed() {
    this.#preview = null;
    this.render();
  }

  #add(kind, pairs, unit) {
    const input = byId(`${kind}-value`);
    if (!input.reportValidity() || !byId(`${kind}-region`).value) return;
    pairs.set(byId(`${kind}-region`).value, Number(input.value) / unit);
    this.#changed();
  }

  #plan() {
    const value = Number(this.#number.value);
    const same = this.#number.value === this.store.tier?.threshold.toFixed(2);
    return { threshold: same ? null : value, drain: new Map(this.#drain), scale: new Map(this.#scale) };
  }

  async #ask() {
    const plan = this.#plan();
    const result = byId('threshold-result');
    this.#asked = isEmpty(plan) ? null : plan;
    setText(result, 'Planning…');
    this.store.changed();
    try {
      const reply = await post('dryrun', bodyOf(this.#tier, plan));
      const alone = plan.threshold !== null && plan.drain.size === 0 && plan.scale.size === 0;
      this.#preview = { value: plan.threshold, reply, alone };
      result.replaceChildren(...renderDiff(reply, this.store));
      const told = describe(plan, reply.threshold_before, (name) => this.store.title(name));
      setText(byId('threshold-when'), `${told}; on the numbers of ${clock(Date.now())}, nothing has been changed`);
    } catch (error) {
      setText(result, error.message);
    }
    this.render();
  }

  #open(plan) {
    this.#waiting = null;
    this.#drain = new Map(plan.drain);
    this.#scale = new Map(plan.scale);
    this.#edit((plan.threshold ?? this.store.tier.threshold).toFixed(2));
    this.#ask();
  }

  render() {
    const { tier, ability } = this.store;
    if (tier && this.#tier !== tier.name) {
      this.#tier = tier.name;
      const waiting = this.#waiting;
      this.#clear();
      this.#waiting = waiting;
    }
    if (tier && this.store.world && this.#waiting) return this.#open(this.#waiting);
    setText(byId('threshold-now'), tier ? load(tier.threshold) : '');
    byId('threshold-ask').disabled = !tier || !this.#number.checkValidity();
    this.#apply.disabled = !this.#preview?.alone || !ability?.writes;
    this.#apply.hidden = !ability?.writes;
    this.#choices('drain', this.#drain, (share) => percent(share));
    this.#choices('scale', this.#scale, (factor) => `× ${Number(factor.toFixed(3))}`);
  }

  #choices(kind, pairs, text) {
    const names = (this.store.tier?.regions ?? []).map((region) => region.name);
    const select = byId(`${kind}-region`);
    const options = names.map((name) => [name, this.store.title(name)]).sort((a, b) => a[1].localeCompare(b[1]));
    const print = JSON.stringify(options);
    if (select.print !== print) {
      select.print = print;
      select.replaceChildren(...options.map(([value, title]) => h('option', { value }, title)));
    }
    keyed(byId(`${kind}-chosen`), [...pairs], ([name]) => name, ([name]) => h('li', {}, h('span'),
      h('button', { type: 'button', class: 'plain', 'aria-label': `Without ${this.store.title(name)}`, onclick: () => {
        (kind === 'drain' ? this.#drain : this.#scale).delete(name);
        this.#changed();
      } }, '×')), (node, [name, value]) => setText(node.firstChild, `${this.store.title(name)} ${text(value)}`));
  }
}
