// The few numbers that say at a glance how the tier does, and whether the page is alive.
import { byId, h, setAttributes, setText } from './dom.mjs';
import { clock, DASH, nines, percent, rate, seconds, span } from './format.mjs';

// How jobs fared, from the controller's rates and means; what it cannot tell (null) is NaN, which nothing is above or
// below. Who was offered before the window and ended in it would make less than one offer a job.
export function fare(outcomes) {
  const number = (value) => value ?? NaN;
  const [wait, service] = [number(outcomes?.wait_s), number(outcomes?.service_s)];
  return {
    success: number(outcomes?.success), wait, latency: wait + service, lost: number(outcomes?.failed) + number(outcomes?.late),
    offers: Math.max(1, number(outcomes?.offers)),
  };
}

// Figures that lead to a list, and where most is amiss: of (region of the fleet document, its routers' counts).
const LINKED = {
  Workers: { part: 'workers', amiss: (region) => region.workers - region.seen },
  Routers: { part: 'routers', amiss: (region, [connected, current]) => connected - current },
};

// The region where most is amiss; of equals the one with the highest load.
export function worst(regions, routers, amiss) {
  const rank = regions.map((region, i) => ({ name: region.name, amiss: amiss(region, routers[i] ?? [0, 0]), load: region.load }));
  return rank.sort((a, b) => b.amiss - a.amiss || b.load - a.load)[0]?.name ?? '';
}

function makeFigure(name, store) {
  const { part, amiss } = LINKED[name] ?? {};
  const open = () => {
    store.selectRegion(worst(store.tier?.regions ?? [], store.fleet?.routers ?? [], amiss));
    store.showPart(part);
    byId('panel-title').focus();
  };
  return h('div', {}, h('dt'), h('dd', {}, h('b', {}, part ? h('button', { type: 'button', class: 'link', 'data-list': part, onclick: open }) : h('span')), h('small')));
}

export function renderSums(store) {
  const { tier, fleet } = store;
  const list = byId('sums');
  const share = (part) => (tier && tier.demand > 0 ? part / tier.demand : NaN);
  const workers = (tier?.regions ?? []).reduce((sum, region) => [sum[0] + region.seen, sum[1] + region.workers], [0, 0]);
  const hot = (tier?.regions ?? []).filter((region) => region.home > tier.threshold).length;
  const routers = (fleet?.routers ?? []).reduce((sum, [connected, current]) => [sum[0] + connected, sum[1] + current], [0, 0]);
  const over = tier?.rtt_cost_optimal > 0 ? tier.rtt_cost / tier.rtt_cost_optimal - 1 : 0;
  const ended = tier?.outcomes;
  const { success, wait, latency, lost, offers } = fare(ended);
  const figures = [
    ['Success', nines(success), Number.isNaN(success) ? 'no job has ended' : `${rate(ended.done)} done, last ${ended.window_s} s`],
    ['Wait', seconds(wait), Number.isNaN(offers) ? 'mean, for a worker' : `mean; ${offers.toFixed(2)} offers a job`],
    ['Latency', seconds(latency), Number.isFinite(latency) ? `mean; ${seconds(ended.service_s)} on the worker` : 'mean of wait and work'],
    ['Errors', Number.isFinite(lost) ? rate(lost) : DASH, lost > 0 ? `${rate(ended.failed)} failed, ${rate(ended.late)} too late` : 'none failed, none too late'],
    ['Shed', percent(share(tier?.shed ?? NaN)), tier?.shed > 0.005 ? rate(tier.shed) : 'everything is reachable'],
    ['Demand', tier ? rate(tier.demand) : DASH, hot ? `${hot} hot ${hot === 1 ? 'region' : 'regions'}` : 'no region is hot'],
    ['Home', percent(share(tier?.home ?? NaN)), tier?.demand > 0 ? rate(tier.home) : 'no requests yet'],
    ['Away', percent(share(tier?.away ?? NaN)), over > 0.005 ? `${percent(over)} over the least RTT` : 'at the least RTT'],
    ['Workers', String(workers[0]), workers[0] === workers[1] ? 'all are alive' : `of ${workers[1]}; ${workers[1] - workers[0]} are missing`],
    ['Routers', String(routers[0]), routers[0] === routers[1] ? 'all hold this table' : `${routers[1]} hold this table`],
  ];
  const alarms = new Set([...(success < 0.99 ? [0] : []), ...(lost > 0.005 ? [3] : []), ...(tier?.shed > 0.005 ? [4] : [])]);
  while (list.children.length < figures.length) list.append(makeFigure(figures[list.children.length][0], store));
  figures.forEach(([name, value, note], i) => {
    const [dt, dd] = list.children[i].children;
    setText(dt, name);
    setText(dd.firstChild.firstChild, value);
    if (LINKED[name]) setAttributes(dd.firstChild.firstChild, { 'aria-label': `${value} ${name.toLowerCase()}, list them where most are missing` });
    setText(dd.lastChild, tier ? note : ' ');
    setAttributes(list.children[i], { class: alarms.has(i) ? 'alarm' : null });
  });
}

export function renderHead(store) {
  const { fleet, world, link, tierName } = store;
  setText(byId('world-name'), fleet ? fleet.world : '');
  setText(byId('leader'), fleet ? `${fleet.controller}, epoch ${fleet.epoch}, up ${span(fleet.uptime_s)}` : '');
  const tiers = world?.tiers.map((tier) => tier.name) ?? [];
  const select = byId('tier');
  if ([...select.options].map((option) => option.value).join() !== tiers.join()) select.replaceChildren(...tiers.map((name) => h('option', { value: name }, name)));
  if (select.value !== tierName) select.value = tierName;
  byId('tier-choice').hidden = tiers.length < 2;
  const words = { live: 'Live', lost: 'Not connected', connecting: 'Connecting' };
  setText(byId('link-text'), fleet?.settling && link.state === 'live' ? 'Settling' : words[link.state]);
  setAttributes(byId('link'), { class: `pill ${link.state}` });
  renderBanner(store);
}

function renderBanner({ link, fleet }) {
  const banner = byId('banner');
  const lost = link.state === 'lost' && link.error?.status !== 401;
  banner.hidden = !lost;
  document.body.classList.toggle('stale', lost);
  if (!lost) return setText(byId('banner-text'), '');
  const refused = link.error?.status !== undefined;
  const first = refused ? `The controller refuses: ${link.error.message}.` : `No connection to the controller since ${clock(link.since)}.`;
  setText(byId('banner-text'), fleet
    ? `${first} This is how things stood at ${clock(fleet.at_ms)}; routers go on with the table that they have. Trying again…`
    : `${first} Trying again…`);
}
