// Which requests leave their region, where to, how many, and why. Pure.
//
// What is drawn is what the routers really sent; what is said beside it is what the table orders. A flow is shown if
// either has it, so that a drain can be watched taking effect.
const RPS_MIN = 0.02;
const SHARE_MIN = 0.0005;

// regions: of the fleet document's tier; rows: of the table document's tier.
// -> [{source, target, rps, orders: [{priority, share, ring, reason, rtt_ms, unlock_load}]}], largest first.
export function flowsOf(regions, rows) {
  const flows = new Map();
  const flowFor = (source, target) => {
    const key = `${source}>${target}`;
    if (!flows.has(key)) flows.set(key, { key, source, target, rps: 0, orders: [] });
    return flows.get(key);
  };
  for (const row of rows) {
    for (const { target, share, ...why } of row.routes) {
      if (target === row.source || share < SHARE_MIN) continue;
      flowFor(row.source, target).orders.push({ priority: row.priority, share, ...why });
    }
  }
  for (const region of regions) {
    for (const [target, rps] of Object.entries(region.sent)) {
      if (target !== region.name && rps >= RPS_MIN) flowFor(region.name, target).rps = rps;
    }
  }
  return [...flows.values()].sort((a, b) => b.rps - a.rps || a.key.localeCompare(b.key));
}

// Of the requests that entered at the source, the share that this flow carries, as sent.
export function shareOf(flow, regions) {
  const sent = regions.find((region) => region.name === flow.source)?.sent ?? {};
  const total = Object.values(sent).reduce((sum, rps) => sum + rps, 0);
  return total > 0 ? flow.rps / total : 0;
}

// Where a row sends its requests, as segments of one bar: home, then others in order, then what is shed.
export function segmentsOf(row) {
  const segments = row.routes.map((route) => ({ ...route, kind: route.target === row.source ? 'home' : 'away' }));
  if (row.shed > 0) segments.push({ kind: 'shed', target: '', share: row.shed, reason: 'shed' });
  return segments.filter((segment) => segment.share >= SHARE_MIN);
}
