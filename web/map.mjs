// The map: dots of land, a circle for each region, an arc for each flow.
//
// Everything is drawn in pixels of the present size, so that text and touch targets stay as large as they should be on
// every screen. Regions are one stop of the tab order, and so are flows; arrow keys move within each.
import { byId, keyed, s, setAttributes, setText } from './dom.mjs';
import { flowsOf, shareOf } from './flows.mjs';
import { load, milliseconds, percent, rate, reason, ringName } from './format.mjs';
import { COLUMNS, NORTH, ROWS } from './land.mjs';
import { arc, fit, placeLabels, radii, spread, toPixels } from './layout.mjs';
import { levelOf, levelText } from './load.mjs';
import { project } from './projection.mjs';
import { rove } from './roving.mjs';
import { change, STEP, viewOf, ZoomHands } from './zoom.mjs';

const REGIONS_MAX = 300; // beyond, the largest are drawn; the table has all
const FLOWS_MAX = 120;
const LABEL_HEIGHT = 15;
const LABEL_FONT_PX = 12;

export class WorldMap {
  #svg;
  #tip;
  #store;
  #size = { width: 0, height: 0 };
  #circles = new Map(); // by region
  #drawn = ''; // what the land and the places were laid out for
  #whole = null; // the view of all places
  #pen = document.createElement('canvas').getContext('2d'); // measures labels

  constructor(svg, tip, store) {
    this.#svg = svg;
    this.#tip = tip;
    this.#store = store;
    this.land = s('path', { class: 'land', 'aria-hidden': 'true' });
    this.threads = s('g', { class: 'threads', 'aria-hidden': 'true' });
    this.flows = s('g', { class: 'flows', role: 'group', 'aria-label': 'Flows between regions' });
    this.places = s('g', { class: 'places', role: 'group', 'aria-label': 'Regions' });
    // Numbers in the circles are not part of the buttons: a button is called as what is written beside it.
    this.values = s('g', { class: 'values', 'aria-hidden': 'true' });
    // The selected region's label lies over everything.
    this.top = s('text', { class: 'label top', dy: '0.35em', 'aria-hidden': 'true' });
    svg.append(this.land, this.threads, this.flows, this.places, this.values, this.top);
    rove(this.flows);
    rove(this.places);
    new ResizeObserver(([entry]) => {
      this.#size = { width: entry.contentRect.width, height: entry.contentRect.height };
      this.render();
    }).observe(svg);
    document.addEventListener('keydown', (event) => event.key === 'Escape' && this.#hideTip());
    new ZoomHands(svg, { move: (how) => this.#zoom(how), reset: () => store.zoomTo(null), zoomed: () => store.zoom !== null });
    byId('zoom-in').addEventListener('click', () => this.#zoom({ factor: STEP }));
    byId('zoom-out').addEventListener('click', () => this.#zoom({ factor: 1 / STEP }));
    byId('zoom-whole').addEventListener('click', () => store.zoomTo(null));
  }

  #zoom(how) {
    if (!this.#whole) return;
    this.#hideTip();
    // By keys around the region that has the focus, so that it stays in sight.
    const home = how.keys && this.#circles.get(document.activeElement?.dataset?.region)?.home;
    if (home) how = { ...how, at: { x: home.x, y: home.y } };
    this.#store.zoomTo(change(this.#whole, this.#store.zoom, this.#size, NORTH, how));
  }

  // A little more than it is, bold where the region is selected.
  #widthOf(title, selected) {
    this.#pen.font = `${selected ? 650 : 400} ${LABEL_FONT_PX}px ${getComputedStyle(this.#svg).fontFamily}`;
    return this.#pen.measureText(title).width + 4;
  }

  render() {
    const { world, tier, tierSettings } = this.#store;
    if (!world || !tier || !tierSettings || this.#size.width < 50) return;
    this.#layOut(tier);
    this.#drawPlaces(tier);
    this.#drawFlows(tier);
  }

  #layOut(tier) {
    const { width, height } = this.#size;
    const capacities = tier.regions.map((region) => region.workers);
    const { zoom, regionName } = this.#store;
    const key = JSON.stringify([width, height, this.#store.tierName, this.#store.world.world, capacities, zoom, regionName]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    setAttributes(this.#svg, { viewBox: `0 0 ${width} ${height}` });
    const shown = tier.regions
      .map((region, index) => ({ ...this.#store.place(region.name), workers: capacities[index] }))
      .sort((a, b) => b.workers - a.workers)
      .slice(0, REGIONS_MAX);
    this.#whole = fit(shown.map((place) => project(place.latitude, place.longitude, NORTH)), width, height, NORTH);
    const view = viewOf(this.#whole, zoom, this.#size, NORTH);
    setAttributes(this.#svg, { class: zoom ? 'zoomed' : null });
    byId('zoom-out').disabled = byId('zoom-whole').disabled = !zoom;
    setAttributes(this.land, { d: landPath(view, width, height), 'stroke-width': Math.max(1.6, (360 / COLUMNS) * view.scale * 0.5) });
    const largest = Math.max(8, Math.min(26, Math.min(width, height) / 15, width / (6 * Math.sqrt(shown.length))));
    const sizes = radii(shown.map((place) => place.workers), Math.max(4, largest / 3), largest);
    const homes = shown.map((place, i) => ({ ...toPixels(view, place.latitude, place.longitude, NORTH), r: sizes[i] }));
    // A part of the map leaves places outside where they are.
    const circles = spread(homes, { bounds: zoom ? null : this.#size });
    this.#circles = new Map(shown.map((place, i) => [place.name, {
      ...circles[i], home: homes[i], title: place.title, label: null,
      seen: circles[i].x > -circles[i].r && circles[i].x < width + circles[i].r && circles[i].y > -circles[i].r && circles[i].y < height + circles[i].r,
    }]));
    this.#layLabels(regionName);
    this.worldWidth = 360 * view.scale;
    keyed(this.threads, [...this.#circles].filter(([, c]) => Math.hypot(c.x - c.home.x, c.y - c.home.y) > c.r * 0.6),
      ([name]) => name, () => s('line'),
      (line, [, c]) => setAttributes(line, { x1: c.home.x, y1: c.home.y, x2: c.x, y2: c.y }));
  }

  // Of what is seen, the selected region first, then the largest.
  #layLabels(selected) {
    const seen = [...this.#circles].filter(([, circle]) => circle.seen).sort(([a], [b]) => (b === selected) - (a === selected));
    const labels = placeLabels(
      seen.map(([name, circle]) => ({ ...circle, width: this.#widthOf(circle.title, name === selected), must: name === selected })),
      { height: LABEL_HEIGHT, bounds: this.#size },
    );
    seen.forEach(([, circle], i) => (circle.label = labels[i]));
  }

  #drawPlaces(tier) {
    const drawn = tier.regions.filter((region) => this.#circles.get(region.name)?.seen);
    keyed(this.places, drawn, (region) => region.name, (region) => this.#makePlace(region), (node, region) =>
      this.#updatePlace(node, region, tier.threshold));
    keyed(this.values, drawn, (region) => region.name, () => s('text', { 'text-anchor': 'middle', dy: '0.35em' }), (node, region) => {
      const { x, y, r } = this.#circles.get(region.name);
      setAttributes(node, { class: `value load-${levelOf(region.load, tier.threshold)}`, x: x.toFixed(1), y: y.toFixed(1) });
      setText(node, r >= 13 ? String(Math.round(region.load * 100)) : '');
    });
    const selected = this.#circles.get(this.#store.regionName);
    const label = selected?.seen ? selected.label : null;
    setText(this.top, label ? selected.title : '');
    if (label) setAttributes(this.top, { x: label.x.toFixed(1), y: label.y.toFixed(1), 'text-anchor': label.anchor });
    rove.refresh(this.places);
  }

  #makePlace({ name }) {
    const node = s('g', { role: 'button', tabindex: -1, 'data-region': name },
      s('circle', { class: 'halo' }), s('circle', { class: 'body' }), s('circle', { class: 'mark' }),
      s('text', { class: 'label', dy: '0.35em' }));
    const select = () => this.#store.selectRegion(this.#store.regionName === name ? '' : name);
    node.addEventListener('click', select);
    node.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      select();
    });
    this.#tipFor(node, () => this.#placeTip(name));
    return node;
  }

  #updatePlace(node, region, threshold) {
    const { x, y, r, label, title } = this.#circles.get(region.name);
    const selected = this.#store.regionName === region.name;
    const [halo, body, mark, text] = node.children;
    const ring = this.#ringOf(region.name);
    setAttributes(node, {
      class: ['place', `load-${levelOf(region.load, threshold)}`, selected && 'selected', region.drain && 'draining',
        region.health !== 'fresh' && 'silent', region.workers === 0 && 'empty', ring].filter(Boolean).join(' '),
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      'aria-pressed': String(selected),
      // It begins with what is seen, so that who speaks to the page can say it.
      'aria-label': `${title} ${Math.round(region.load * 100)} % load, ${levelText(region.load, threshold)}, demand ${rate(region.demand)}` +
        `${region.drain ? ', draining' : ''}${region.health === 'fresh' ? '' : `, input ${region.health}`}`,
    });
    setAttributes(halo, { r: r + 5 });
    setAttributes(body, { r });
    setAttributes(mark, { r: r + 2.5 });
    setText(text, label && !selected ? title : '');
    if (label) setAttributes(text, { x: (label.x - x).toFixed(1), y: (label.y - y).toFixed(1), 'text-anchor': label.anchor });
  }

  // With a region selected: the ring of the others, as a class.
  #ringOf(name) {
    const selected = this.#store.regionName;
    if (!selected || name === selected || !this.#store.region) return '';
    const neighbour = this.#store.region.neighbours.find((other) => other.name === name);
    return !neighbour || neighbour.ring < 0 || neighbour.forbidden ? 'beyond' : `ring-${Math.min(neighbour.ring, 3)}`;
  }

  #drawFlows(tier) {
    const selected = this.#store.regionName;
    const flows = flowsOf(tier.regions, this.#store.rows)
      .filter((flow) => this.#circles.has(flow.source) && this.#circles.has(flow.target))
      .filter((flow) => this.#circles.get(flow.source).seen || this.#circles.get(flow.target).seen)
      .slice(0, FLOWS_MAX);
    const most = Math.max(0.5, ...flows.map((flow) => flow.rps));
    keyed(this.flows, flows, (flow) => flow.key, (flow) => this.#makeFlow(flow), (node, flow) => {
      node.flow = flow;
      const d = arc(this.#circles.get(flow.source), this.#circles.get(flow.target), this.worldWidth);
      const width = 1.2 + 4.2 * Math.sqrt(flow.rps / most);
      const aside = selected && flow.source !== selected && flow.target !== selected;
      setAttributes(node, { class: `flow${aside ? ' aside' : ''}${flow.orders.length ? '' : ' unordered'}`, 'aria-label': this.#flowText(flow) });
      const [hit, line, pulse] = node.children;
      for (const path of [hit, line, pulse]) setAttributes(path, { d });
      setAttributes(line, { 'stroke-width': width.toFixed(1) });
      setAttributes(pulse, { 'stroke-width': Math.max(1, width * 0.45).toFixed(1) });
    });
    rove.refresh(this.flows);
  }

  #makeFlow(flow) {
    const node = s('g', { role: 'img', tabindex: -1, 'data-flow': flow.key },
      s('path', { class: 'hit' }), s('path', { class: 'line', 'marker-end': 'url(#arrow)' }), s('path', { class: 'pulse' }));
    this.#tipFor(node, () => this.#flowTip(node.flow));
    return node;
  }

  #flowText(flow) {
    const share = shareOf(flow, this.#store.tier.regions);
    const orders = flow.orders.map((order) => `the table says ${percent(order.share)} of ${order.priority}, because ${reason(order.reason)}`);
    return `${this.#store.title(flow.source)} to ${this.#store.title(flow.target)}: ${rate(flow.rps)}, ${percent(share)} of its demand; ` +
      (orders.join('; ') || 'the table no longer orders this');
  }

  // ---- what hovering or focusing shows ----
  #tipFor(node, content) {
    const show = () => {
      this.#tip.replaceChildren(...content());
      this.#tip.hidden = false;
      const box = node.getBoundingClientRect();
      const frame = this.#svg.parentElement.getBoundingClientRect();
      const tip = this.#tip.getBoundingClientRect();
      const middle = box.left + box.width / 2 - frame.left;
      const above = box.top - frame.top - tip.height - 8;
      this.#tip.style.left = `${Math.max(4, Math.min(frame.width - tip.width - 4, middle - tip.width / 2))}px`;
      this.#tip.style.top = `${above > 0 ? above : Math.min(frame.height - tip.height - 4, box.bottom - frame.top + 8)}px`;
    };
    node.addEventListener('pointerenter', show);
    node.addEventListener('focus', show);
    node.addEventListener('pointerleave', () => this.#hideTip());
    node.addEventListener('blur', () => this.#hideTip());
  }

  #hideTip() {
    this.#tip.hidden = true;
  }

  #placeTip(name) {
    const region = this.#store.tier.regions.find((other) => other.name === name);
    const { threshold } = this.#store.tier;
    return [
      line('strong', this.#store.title(name)),
      line('span', `load ${load(region.load)} of ${load(threshold)} (${levelText(region.load, threshold)})`),
      line('span', `demand ${rate(region.demand)}, ${rate(region.served)} served here`),
      line('span', `${region.seen} of ${region.workers} workers`),
    ];
  }

  #flowTip(flow) {
    const rings = this.#store.tierSettings.rings;
    const rows = flow.orders.flatMap((order) => [
      line('span', `table: ${percent(order.share)} of ${order.priority} (${milliseconds(order.rtt_ms)}, ring ${ringName(rings, order.ring)}${order.unlock_load === undefined ? '' : `, home load ${load(order.unlock_load)}`})`),
      line('span', `because ${reason(order.reason)}`),
    ]);
    return [
      line('strong', `${this.#store.title(flow.source)} → ${this.#store.title(flow.target)}`),
      line('span', `${rate(flow.rps)}, ${percent(shareOf(flow, this.#store.tier.regions))} of its demand`),
      ...(rows.length ? rows : [line('span', 'the table no longer orders this')]),
    ];
  }
}

function line(tag, text) {
  const node = document.createElement(tag);
  node.textContent = text;
  return node;
}

// All dots as one path of points with round ends.
function landPath(view, width, height) {
  const step = 360 / COLUMNS;
  let d = '';
  ROWS.forEach((hex, row) => {
    const y = ((row + 0.5) * step - view.y) * view.scale;
    if (y < -10 || y > height + 10) return;
    for (let column = 0; column < COLUMNS; ++column) {
      if (!((parseInt(hex[column >> 2], 16) >> (3 - (column & 3))) & 1)) continue;
      const x = ((column + 0.5) * step - view.x) * view.scale;
      if (x > -10 && x < width + 10) d += `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
    }
  });
  return d;
}
