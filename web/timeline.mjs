// The last hour: demand and where it was served, each region's load as a row of colour, and what happened when.
//
// Drawn on a canvas, because an hour of twenty regions is fifteen thousand cells; the table below it says the same in
// numbers, and the line under the pointer says it for one moment.
import { byId, h, setAttributes, setText } from './dom.mjs';
import { clock, load, percent, rate } from './format.mjs';
import { levelOf } from './load.mjs';
import { axis, niceMax, stack, summaries, ticks } from './series.mjs';

const CHART_HEIGHT = 96;
const AXIS_HEIGHT = 20;
const NAME_WIDTH = 96;
const ROWS_MAX = 40;
const MARKS = new Set(['drain', 'undrain', 'threshold', 'mode', 'pin', 'rollback', 'canary', 'hot', 'cool', 'leader', 'refused', 'shed', 'topology']);

export class TimelineView {
  #canvas = byId('timeline');
  #drawn = null;
  #pointer = null;
  #axisOf = null; // as drawn last
  #left = 0;
  #fixed = null; // the moment that was drawn

  constructor(store) {
    this.store = store;
    new ResizeObserver(() => this.render(true)).observe(this.#canvas.parentElement);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.render(true));
    this.#canvas.addEventListener('pointermove', (event) => this.#point(event.offsetX));
    this.#canvas.addEventListener('pointerleave', () => this.#point(null));
    this.#canvas.addEventListener('click', (event) => this.#fix(this.#axisOf?.indexAt(event.offsetX - this.#left)));
    this.#canvas.addEventListener('keydown', (event) => this.#key(event));
  }

  // Keeps one step's moment in sight, for the address too; the same again, or what is no step, gives it up.
  #fix(index) {
    const { timeline, moment } = this.store;
    if (!timeline) return;
    const ms = timeline.demand[index] === undefined ? null : timeline.start_ms + index * timeline.step_ms;
    this.store.lookAt(ms === moment ? null : ms);
    this.render(true);
  }

  #key(event) {
    const { timeline, moment } = this.store;
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: 12, PageDown: -12 }[event.key];
    if (!timeline || (!step && event.key !== 'Escape')) return;
    event.preventDefault();
    if (!step) return this.#fix(undefined);
    const last = timeline.demand.length - 1;
    const now = moment === null ? last : Math.round((moment - timeline.start_ms) / timeline.step_ms);
    this.#fix(Math.max(0, Math.min(last, now + step)));
  }

  #point(x) {
    this.#pointer = x;
    this.render(true);
  }

  render(force = false) {
    const { timeline, events, tier } = this.store;
    const empty = !timeline || !tier || timeline.demand.length === 0;
    byId('timeline-empty').hidden = !empty;
    this.#canvas.hidden = empty;
    byId('timeline-read').hidden = empty;
    if (empty) return;
    if (!force && this.#drawn === timeline && this.events === events && this.#fixed === this.store.moment) return;
    this.#fixed = this.store.moment;
    const fresh = this.#drawn !== timeline;
    this.#drawn = timeline;
    this.events = events;
    this.#draw(timeline, tier);
    if (fresh) this.#table(timeline);
  }

  #draw(timeline, tier) {
    const width = this.#canvas.parentElement.clientWidth;
    const rows = timeline.regions.slice(0, ROWS_MAX);
    const rowHeight = rows.length > 12 ? 12 : 14;
    const height = CHART_HEIGHT + AXIS_HEIGHT + rows.length * rowHeight + 4;
    const ratio = devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#canvas.style.height = `${height}px`;
    const names = width > 520 ? NAME_WIDTH : 0;
    const style = getComputedStyle(document.documentElement);
    const brush = {
      ctx: this.#canvas.getContext('2d'), colour: (name) => style.getPropertyValue(name).trim(),
      font: '11px system-ui, sans-serif', left: names, width: width - names,
    };
    brush.ctx.scale(ratio, ratio);
    brush.ctx.font = brush.font;
    const ax = axis(timeline, brush.width);
    [this.#axisOf, this.#left] = [ax, names];
    brush.ctx.translate(names, 0);
    this.#areas(brush, timeline, ax);
    this.#axis(brush, ax);
    this.#rows(brush, rows, ax, rowHeight, tier.threshold);
    this.#marks(brush, ax, height);
    this.#read(brush, timeline, ax, height);
  }

  #areas({ ctx, colour, left, width }, timeline, ax) {
    const edges = stack(timeline);
    const most = niceMax(timeline.demand);
    const y = (value) => CHART_HEIGHT - (value / most) * (CHART_HEIGHT - 14);
    for (const [layer, name] of [[2, '--shed'], [1, '--flow'], [0, '--home']]) {
      ctx.fillStyle = colour(name);
      ctx.beginPath();
      edges.forEach((edge, i) => {
        if (!edge) return;
        const low = layer === 0 ? 0 : edge[layer - 1];
        if (edge[layer] > low) ctx.rect(ax.x(i), y(edge[layer]), ax.perStep + 0.35, y(low) - y(edge[layer]));
      });
      ctx.fill();
    }
    ctx.fillStyle = colour('--ink-2');
    ctx.fillText(rate(most), left ? -left : 4, 11);
    ctx.strokeStyle = colour('--line');
    ctx.beginPath();
    ctx.moveTo(0, CHART_HEIGHT + 0.5);
    ctx.lineTo(width, CHART_HEIGHT + 0.5);
    ctx.stroke();
  }

  #axis({ ctx, colour, width }, ax) {
    ctx.fillStyle = colour('--ink-2');
    ctx.textAlign = 'center';
    for (const ms of ticks(ax.spanMs, ax.endMs, width < 500 ? 4 : 8)) {
      const x = ax.xOfTime(ms);
      if (x > 22 && x < width - 22) ctx.fillText(clock(ms, ax.spanMs < 600000), x, CHART_HEIGHT + 14);
    }
    ctx.textAlign = 'left';
  }

  #rows({ ctx, colour, left }, rows, ax, rowHeight, threshold) {
    const colours = [0, 1, 2, 3, 4, 5].map((level) => colour(`--load-${level}`));
    ctx.font = '10px system-ui, sans-serif';
    rows.forEach(({ name, load: loads }, row) => {
      const y = CHART_HEIGHT + AXIS_HEIGHT + row * rowHeight;
      loads.forEach((value, i) => {
        if (value === null) return;
        ctx.fillStyle = colours[levelOf(value, threshold)];
        ctx.fillRect(ax.x(i), y, ax.perStep + 0.35, rowHeight - 2);
      });
      if (!left) return;
      ctx.fillStyle = colour(name === this.store.regionName ? '--ink' : '--ink-2');
      ctx.fillText(this.store.title(name), -left, y + rowHeight - 3, left - 8);
    });
  }

  #marks({ ctx, colour }, ax, height) {
    ctx.strokeStyle = colour('--ink-2');
    ctx.fillStyle = colour('--ink-2');
    ctx.setLineDash([2, 3]);
    for (const event of this.store.events) {
      const x = ax.xOfTime(event.at_ms);
      if (x < 0 || !MARKS.has(event.kind) || (event.tier && event.tier !== this.store.tierName)) continue;
      ctx.beginPath();
      ctx.moveTo(x, 6);
      ctx.lineTo(x, height);
      ctx.globalAlpha = 0.45;
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.beginPath();
      ctx.arc(x, 4, 3, 0, 7);
      ctx.fill();
    }
    ctx.setLineDash([]);
  }

  #read({ ctx, colour, left }, timeline, ax, height) {
    const x = this.#pointer === null ? null : this.#pointer - left;
    const { moment } = this.store;
    const last = timeline.demand.length - 1;
    const chosen = moment === null ? last : Math.round((moment - timeline.start_ms) / timeline.step_ms);
    const index = x === null ? chosen : ax.indexAt(x);
    const demand = timeline.demand[index];
    if ((x !== null || moment !== null) && demand !== undefined) {
      ctx.fillStyle = colour('--ink');
      ctx.fillRect(ax.x(index) + ax.perStep / 2, 0, 1, height);
    }
    const text = demand === undefined || demand === null ? 'nothing is known of that moment'
      : `${clock(timeline.start_ms + index * timeline.step_ms)}: demand ${rate(demand)}, ${percent(demand ? timeline.away[index] / demand : 0)} away, ${percent(demand ? timeline.shed[index] / demand : 0)} shed`;
    setText(byId('timeline-read'), text);
    setAttributes(this.#canvas, { 'aria-valuemin': 0, 'aria-valuemax': last, 'aria-valuenow': Math.max(0, Math.min(last, index)), 'aria-valuetext': text });
  }

  #table(timeline) {
    const rows = summaries(timeline);
    const cell = (value) => h('td', { class: 'number' }, load(value));
    byId('timeline-rows').replaceChildren(...rows.map((row) =>
      h('tr', {}, h('th', { scope: 'row' }, this.store.title(row.name)), cell(row.min), cell(row.mean), cell(row.max), cell(row.last))));
    const hottest = [...rows].sort((a, b) => b.max - a.max)[0];
    setAttributes(this.#canvas, {
      'aria-label': `Demand of the last hour, and each region's load. ${hottest ? `Highest: ${this.store.title(hottest.name)} with load ${load(hottest.max)}.` : ''} The table below has the numbers.`,
    });
  }
}
