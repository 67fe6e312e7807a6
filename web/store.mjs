// What the page knows, and who wants to hear when that changes.
//
// Frames of the live stream are whole states; they carry the numbers of the slower documents (table, events, timeline),
// which are fetched when their number differs from the one that is here. One fetch of a kind at a time.
import { get, watch } from './api.mjs';
import { groupsFrom } from './kinds.mjs';

const EVENTS_KEPT = 500;
const STEP_SLACK_MS = 400;

export class Store {
  ability = null;
  world = null;
  fleet = null;
  table = null;
  timeline = null;
  events = [];
  tierName = '';
  regionName = '';
  kinds = groupsFrom(''); // of events that are shown
  part = 'rings'; // of the selected region: rings, workers, routers, jobs
  sort = ''; // order of its tables (sortable.mjs)
  zoom = null; // of the map (zoom.mjs)
  moment = null; // of the last hour that is looked at, in ms; null: now
  region = null; // document of the selected region
  link = { state: 'connecting', since: Date.now(), error: null };

  #listeners = [];
  #scheduled = false;
  #under_way = new Set();
  #lastEvent = 0;

  subscribe(listener) {
    this.#listeners.push(listener);
  }

  changed() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      for (const listener of this.#listeners) listener(this);
    });
  }

  async start() {
    try {
      this.ability = await get('ability');
    } catch (error) {
      this.#linkLost(error);
    }
    watch((frame) => this.#take(frame), (error) => this.#linkLost(error));
  }

  // ---- what is looked at ----
  get tier() {
    return this.fleet?.tiers.find((tier) => tier.name === this.tierName) ?? null;
  }
  get tierSettings() {
    return this.world?.tiers.find((tier) => tier.name === this.tierName) ?? null;
  }
  get rows() {
    return this.table?.tiers.find((tier) => tier.name === this.tierName)?.rows ?? [];
  }
  place(name) {
    return this.#places?.get(name) ?? { name, title: name, latitude: 0, longitude: 0, utc_offset_minutes: 0 };
  }
  title(name) {
    return this.place(name).title || name;
  }
  #places = null;

  showKinds(text) {
    this.kinds = groupsFrom(text);
    this.changed();
  }
  toggleKind(name) {
    this.kinds = new Set(this.kinds);
    if (!this.kinds.delete(name)) this.kinds.add(name);
    this.changed();
  }
  selectTier(name) {
    if (name === this.tierName) return;
    this.tierName = name;
    this.timeline = null;
    this.region = null;
    this.#refreshTimeline();
    this.#refreshRegion();
    this.changed();
  }
  showPart(name) {
    this.part = ['workers', 'routers', 'jobs'].includes(name) ? name : 'rings';
    this.changed();
  }
  sortBy(text) {
    this.sort = text ?? '';
    this.changed();
  }
  lookAt(ms) {
    this.moment = Number.isFinite(ms) && ms > 0 ? ms : null;
    this.changed();
  }
  zoomTo(zoom) {
    this.zoom = zoom;
    this.changed();
  }
  selectRegion(name) {
    if (name === this.regionName) return;
    this.regionName = name;
    this.region = null;
    this.#refreshRegion();
    this.changed();
  }

  // ---- the stream ----
  #take(frame) {
    const before = this.fleet;
    this.fleet = frame;
    if (this.link.state !== 'live') {
      // After a pause anything may have changed, even with the same numbers.
      this.#lastEvent = 0;
      this.link = { state: 'live', since: Date.now(), error: null };
      this.#once('ability', async () => (this.ability = await get('ability')));
      this.#refreshWorld();
    }
    if (!frame.tiers.some((tier) => tier.name === this.tierName)) this.selectTier(frame.tiers[0]?.name ?? '');
    // An address may name a region that is not there, or is no more.
    if (this.regionName && !this.tier?.regions.some((region) => region.name === this.regionName)) this.selectRegion('');
    const regions = this.world?.regions.length;
    if (regions !== undefined && regions !== frame.tiers[0]?.regions.length) this.#refreshWorld();
    if (!this.table || this.table.epoch !== frame.epoch || this.table.version !== frame.version) this.#refreshTable();
    if (frame.events !== this.#lastEvent) this.#refreshEvents();
    if (this.timeline?.steps !== frame.steps) setTimeout(() => this.#refreshTimeline(), STEP_SLACK_MS * Math.random());
    if (before?.version !== frame.version || frame.at_ms - (this.region?.fetched_ms ?? 0) > 5000) this.#refreshRegion();
    this.changed();
  }

  #linkLost(error) {
    if (this.link.state !== 'lost') this.link = { state: 'lost', since: Date.now(), error };
    else this.link.error = error;
    this.changed();
  }

  async #once(name, fetch) {
    if (this.#under_way.has(name)) return;
    this.#under_way.add(name);
    try {
      await fetch();
      this.changed();
    } catch {
      // The stream tells when the controller is gone; the next frame asks again.
    } finally {
      this.#under_way.delete(name);
    }
  }

  #refreshWorld() {
    this.#once('world', async () => {
      this.world = await get('world');
      this.#places = new Map(this.world.regions.map((region) => [region.name, region]));
    });
  }
  #refreshTable() {
    this.#once('table', async () => (this.table = await get('table')));
  }
  #refreshEvents() {
    this.#once('events', async () => {
      let fresh = await get(`events?after=${this.#lastEvent}`);
      const another = fresh.last < this.#lastEvent; // a controller that has nothing of the former one's
      if (another) fresh = await get('events?after=0');
      this.events = [...fresh.events, ...(another ? [] : this.events)].slice(0, EVENTS_KEPT);
      this.#lastEvent = fresh.last;
      if (fresh.events.some((event) => event.kind === 'topology')) this.#refreshWorld();
    });
  }
  #refreshTimeline() {
    const tier = this.tierName;
    if (!tier) return;
    this.#once('timeline', async () => {
      const timeline = await get(`timeline?tier=${encodeURIComponent(tier)}`);
      if (tier === this.tierName) this.timeline = timeline;
    });
  }
  #refreshRegion() {
    const [tier, region] = [this.tierName, this.regionName];
    if (!tier || !region) return;
    this.#once('region', async () => {
      const document = await get(`region?tier=${encodeURIComponent(tier)}&region=${encodeURIComponent(region)}`);
      if (region !== this.regionName || tier !== this.tierName) return this.#refreshRegion();
      this.region = { ...document, fetched_ms: this.fleet?.at_ms ?? 0 };
    });
  }
}
