// What if the threshold were another: planned by the controller on the numbers of now, shown as a difference.
import { post } from './api.mjs';
import { byId, setText } from './dom.mjs';
import { renderDiff } from './diff.mjs';
import { clock, load } from './format.mjs';

export class WhatIf {
  #slider = byId('threshold-slider');
  #number = byId('threshold-number');
  #apply = byId('threshold-apply');
  #preview = null; // the last answer, and for what
  #tier = '';

  constructor(store, orders) {
    this.store = store;
    this.#slider.addEventListener('input', () => this.#edit(this.#slider.value));
    this.#number.addEventListener('input', () => this.#edit(this.#number.value));
    byId('threshold-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#ask();
    });
    this.#apply.addEventListener('click', () => orders.threshold(this.#preview.value, this.#preview.reply));
  }

  #edit(value) {
    this.#slider.value = value;
    if (this.#number.value !== value) this.#number.value = value;
    // What was shown is not what would be applied any more.
    this.#preview = null;
    this.render();
  }

  async #ask() {
    const value = Number(this.#number.value);
    const result = byId('threshold-result');
    setText(result, 'Planning…');
    try {
      const reply = await post('dryrun', { tier: this.#tier, overload_threshold: value });
      this.#preview = { value, reply };
      result.replaceChildren(...renderDiff(reply, this.store));
      setText(byId('threshold-when'), `threshold ${load(reply.threshold_before)} → ${load(value)}, on the numbers of ${clock(Date.now())}; nothing has been changed`);
    } catch (error) {
      setText(result, error.message);
    }
    this.render();
  }

  render() {
    const { tier, ability } = this.store;
    if (tier && this.#tier !== tier.name) {
      this.#tier = tier.name;
      this.#preview = null;
      byId('threshold-result').replaceChildren();
      setText(byId('threshold-when'), '');
      this.#slider.value = this.#number.value = tier.threshold.toFixed(2);
    }
    setText(byId('threshold-now'), tier ? load(tier.threshold) : '');
    byId('threshold-ask').disabled = !tier || !this.#number.checkValidity();
    this.#apply.disabled = !this.#preview || !ability?.writes;
    this.#apply.hidden = !ability?.writes;
  }
}
