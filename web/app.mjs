// Puts the page together: one store, and a view for each part of the page that draws itself when the store changes.
import { bind } from './address.mjs';
import { token } from './api.mjs';
import { byId } from './dom.mjs';
import { renderEvents } from './events.mjs';
import { WorldMap } from './map.mjs';
import { Orders } from './orders.mjs';
import { textOf } from './kinds.mjs';
import { Panel } from './panel.mjs';
import { Past } from './past.mjs';
import { renderRegions } from './regions.mjs';
import { RequestSearch } from './request.mjs';
import { Store } from './store.mjs';
import { renderHead, renderSums } from './sums.mjs';
import { renderTable } from './table.mjs';
import { TimelineView } from './timeline.mjs';
import { WhatIf } from './whatif.mjs';
import { textOf as zoomText, zoomFrom } from './zoom.mjs';

const store = new Store();
const orders = new Orders(store);
const map = new WorldMap(byId('map'), byId('tip'), store);
const panel = new Panel(store, orders);
const timeline = new TimelineView(store);
const whatIf = new WhatIf(store, orders);
const past = new Past(store);
const search = new RequestSearch(store);
const writeAddress = bind((view) => {
  if (view.tier) store.selectTier(view.tier);
  store.selectRegion(view.region ?? '');
  store.showPart(view.part);
  store.sortBy(view.sort);
  store.zoomTo(zoomFrom(view.map));
  store.lookAt(Number(view.at));
  store.showKinds(view.events);
  search.find(view.request ?? '', false);
  whatIf.restore(view);
  past.restore(view.tables ?? '');
});

function looking() {
  const region = store.regionName;
  return {
    tier: store.world.tiers.length > 1 ? store.tierName : '', region, part: region && store.part !== 'rings' ? store.part : '',
    sort: region && store.part !== 'rings' ? store.sort : '', events: textOf(store.kinds), request: search.id, map: zoomText(store.zoom), at: store.moment === null ? '' : String(store.moment), ...whatIf.text, tables: past.text,
  };
}

store.subscribe(() => {
  renderHead(store);
  renderSums(store);
  byId('map-empty').hidden = Boolean(store.tier && store.world);
  map.render();
  renderRegions(byId('region-rows'), store);
  panel.render();
  timeline.render();
  renderTable(store);
  renderEvents(store);
  whatIf.render();
  past.render();
  // Before the fleet is known an address may name what is there.
  if (store.world && store.fleet) writeAddress(looking());
  document.body.classList.toggle('loading', !store.fleet);
  if (store.link.error?.status === 401 && !byId('token-dialog').open) {
    byId('token-problem').textContent = token.get() ? store.link.error.message : '';
    byId('token-dialog').showModal();
  }
});

byId('tier').addEventListener('change', (event) => store.selectTier(event.target.value));
byId('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  token.set(byId('token-value').value.trim());
  location.reload();
});

store.changed();
store.start();
