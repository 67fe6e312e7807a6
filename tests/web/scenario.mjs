// A visitor of the dashboard, step by step; started by dashboard_test.cc with: URL, admin address, ringway, folder.
//
// Each step says what must be seen. What the page shows is held against what `ringway` says of the same controller.
// Exit code 0: everything was as it must be; else the step and the reason are on standard output.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from './browser.mjs';

const [url, admin, ringway, folder, axe] = process.argv.slice(2);
const cli = (...words) => JSON.parse(execFileSync(ringway, ['--json', '--controller', admin, ...words], { encoding: 'utf8' }));
const region = (status, name) => status.tiers[0].regions.find((other) => other.region === name);

// Asks the owner of the processes and waits for the answer.
async function ask(what, answer) {
  writeFileSync(join(folder, what), '.');
  for (let i = 0; i < 600 && !existsSync(join(folder, answer)); ++i) await new Promise((resume) => setTimeout(resume, 20));
  rmSync(join(folder, answer));
}

const browser = await Browser.start();
let page;
let request = ''; // the id of a job that was done
const figure = (name) => page.run(`[...document.querySelectorAll('#sums > div')].find((div) => div.firstChild.textContent === '${name}')?.querySelector('b').textContent`);

const steps = {
  async 'the page comes alive with every region on map and table'() {
    page = await browser.page({ width: 1366, height: 900 });
    await page.open(url);
    await page.until('the stream is live', `document.querySelector('#link').classList.contains('live')`);
    await page.until('three circles', `document.querySelectorAll('#map [data-region]').length === 3`);
    assert.equal(await page.run(`document.querySelectorAll('#region-rows tr').length`), 3);
    assert.equal(await page.run(`document.querySelector('#banner').hidden`), true);
    // Capacity is area: Oslo has twice the workers of Paris.
    const radius = (name) => page.run(`Number(document.querySelector('#map [data-region="${name}"] .body').getAttribute('r'))`);
    assert.ok(Math.abs((await radius('oslo')) / (await radius('paris')) - Math.SQRT2) < 0.02);
  },

  async 'a flow from the hot region shows its share and its reason, to the mouse and to the keyboard'() {
    await page.until('a flow from Paris', `document.querySelector('#map [data-flow^="paris>"]')?.flow.orders.length`, 20000);
    const key = await page.run(`document.querySelector('#map [data-flow^="paris>"]').dataset.flow`);
    const spoken = `document.querySelector('#map [data-flow="${key}"]').getAttribute('aria-label')`;
    await page.until('the flow is really used', `/: [1-9][\\d.]*\\/s, \\d+ % of its demand/.test(${spoken})`);
    assert.match(await page.run(spoken), /the table says \d+ % of interactive, because the source is above its threshold/);
    await page.run(`document.querySelector('#map [data-flow="${key}"]').focus()`);
    assert.equal(await page.run(`document.querySelector('#tip').hidden`), false);
    assert.match(await page.text('#tip'), /table: \d+ % of interactive \(10 ms, ring all, home load/);
    await page.press('Escape');
    assert.equal(await page.run(`document.querySelector('#tip').hidden`), true);
    await page.until('the table lists the row', `document.querySelector('#table-rows [data-row="paris/interactive"]')`);
    await page.until('the hot region is told', `document.querySelector('#events .kind-hot')`);
  },

  async 'the page begins with how jobs fare: success, wait, latency, errors'() {
    assert.deepEqual(await page.run(`[...document.querySelectorAll('#sums dt')].slice(0, 4).map((dt) => dt.textContent)`), ['Success', 'Wait', 'Latency', 'Errors']);
    await page.until('jobs have ended', `/%$/.test(document.querySelector('#sums b').textContent)`);
    assert.match(await figure('Success'), /^(100|\d\d\.\d\d) %$/);
    assert.match(await figure('Wait'), /^[\d.]+ m?s$/);
    // The synthetic workers sleep 0.2 s, so no job takes less, and a region above its threshold makes some wait.
    const latency = await figure('Latency');
    assert.match(latency, /^[\d.]+ s$/);
    assert.ok(parseFloat(latency) >= 0.2 && parseFloat(latency) < 6, latency);
  },

  async 'a request is found by its id, with every step, and the address keeps it'() {
    const [router] = cli('status').routers;
    const end = JSON.parse(execFileSync(ringway, ['--json', '--router', router.address, 'submit', '--prompt', 'a boat'], { encoding: 'utf8' }));
    request = end.trace.request_id;
    await page.run(`document.querySelector('#request-id').focus()`);
    await page.type(request);
    await page.press('Enter');
    await page.until('its trace', `document.querySelector('#request-traces .trace[data-outcome="done"]')`);
    const told = await page.text('#request-card');
    for (const part of [request, end.trace.worker, 'waited']) assert.ok(told.includes(part), `${part} in ${told}`);
    assert.ok((await page.run(`document.querySelectorAll('#request-traces .steps li').length`)) >= 1);
    await page.until('the request is in the address', `new URLSearchParams(location.hash.slice(1)).get('request') === '${request}'`);
  },

  async 'events have filters: spill is left out until it is asked for'() {
    await page.until('a spill was told', `/^Spill \\d/.test(document.querySelector('[data-group="spill"]')?.textContent)`, 25000);
    assert.equal(await page.run(`document.querySelectorAll('#events .kind-spill').length`), 0);
    await page.click('[data-group="spill"]');
    await page.until('spills are listed', `document.querySelector('#events .kind-spill')`);
    assert.match(await page.run(`location.hash`), /events=orders%2Cload%2Cfleet%2Cspill/);
    for (const group of ['orders', 'load', 'fleet']) await page.click(`[data-group="${group}"]`);
    await page.until('spills alone', `[...document.querySelectorAll('#events > li')].every((li) => li.classList.contains('kind-spill'))`);
  },

  async 'the address brings the same view back, in another tab'() {
    await page.click('#region-rows [data-region="oslo"] button');
    await page.until('the region is in the address', `/region=oslo/.test(location.hash)`);
    const address = await page.run(`location.href`);
    const second = await browser.page({ width: 1366, height: 900 });
    await second.open(address);
    await second.until('the region', `document.querySelector('#panel-title')?.textContent === 'oslo'`);
    await second.until('the request', `document.querySelector('#request-traces .trace')`);
    await second.until('the filter', `document.querySelector('#events .kind-spill') && !document.querySelector('#events .kind-hot')`);
    assert.deepEqual(second.problems, []);
    // And what was chosen is given up again, so that the next steps see all of the page.
    await page.run(`location.hash = ''`);
    await page.until('the whole page', `document.querySelector('#panel').hidden && document.querySelector('#request-card').hidden`);
  },

  async 'a region is looked into: its workers, sorted, its routers, what is known of jobs'() {
    await page.click('#sums [data-list="workers"]');
    await page.until('some region and its workers', `document.querySelector('#tab-workers').getAttribute('aria-selected') === 'true' && document.querySelectorAll('#members tbody tr').length > 0`);
    await page.run(`location.hash = 'region=oslo&part=workers'`);
    await page.until('the four of Oslo', `document.querySelectorAll('#members tbody tr').length === 4 && /^4 workers: /.test(document.querySelector('#members-note').textContent)`);
    await page.click('#members [data-column="busy"]');
    await page.until('the busiest first', `document.querySelector('#members th[aria-sort]')?.getAttribute('aria-sort') === 'descending'`);
    const busy = await page.run(`[...document.querySelectorAll('#members tbody tr')].map((tr) => parseFloat(tr.cells[2].textContent))`);
    assert.deepEqual(busy, [...busy].sort((a, b) => b - a));
    assert.match(await page.run(`location.hash`), /part=workers.*sort=-busy/);
    await page.run(`document.querySelector('#tab-workers').focus()`);
    await page.press('ArrowRight');
    await page.until('its router', `document.querySelectorAll('#members tbody tr').length === 1 && /^1 router: 1 here$/.test(document.querySelector('#members-note').textContent)`);
    assert.match(await page.text('#members tbody tr'), /oslo.*here.*\d+\.\d+4/);
    await page.press('ArrowRight');
    await page.until('jobs', `/of 4 workers, as last reported/.test(document.querySelector('#jobs-list').textContent)`);
    // Each was a step.
    await page.run(`history.back()`);
    await page.until('back to the router', `/part=routers/.test(location.hash) && document.querySelector('#tab-routers').getAttribute('aria-selected') === 'true'`);
    await page.run(`history.forward()`);
    await page.until('forward to jobs', `!document.querySelector('#jobs-facts').hidden`);
    await page.run(`location.hash = ''`);
    await page.until('the whole page', `document.querySelector('#panel').hidden`);
  },

  async 'a moment of the hour is kept, by keyboard, and the address has it'() {
    await page.until('two steps', `!document.querySelector('#timeline').hidden && Number(document.querySelector('#timeline').getAttribute('aria-valuemax')) >= 1`, 20000);
    await page.run(`document.querySelector('#timeline').focus()`);
    await page.press('ArrowLeft');
    await page.until('the moment is in the address', `/at=\\d{13}/.test(location.hash)`);
    const told = await page.text('#timeline-read');
    assert.match(told, /^\d\d:\d\d:\d\d: demand [\d.]+\/s/);
    await page.press('Escape');
    await page.until('now again', `!/at=/.test(location.hash)`);
  },

  async 'axe-core finds nothing to complain about'() {
    if (!axe) return console.log('      without axe-core: npm could not install it here');
    await page.run(readFileSync(axe, 'utf8'));
    for (const part of ['workers', 'routers', 'jobs']) {
      await page.run(`location.hash = 'region=paris&part=${part}'`);
      await page.until(`the list of ${part}`, part === 'jobs' ? `document.querySelector('#jobs-list dd')` : `document.querySelector('#members tbody tr')`);
      assert.deepEqual(await page.run(`axe.run().then((result) => result.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).join(', ')))`), [], part);
    }
    await page.run(`location.hash = 'region=paris&request=${request}'`);
    await page.until('all parts are there', `!document.querySelector('#panel').hidden && document.querySelector('#request-traces .trace')`);
    const found = await page.run(`axe.run().then((result) => result.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).join(', ')))`);
    assert.deepEqual(found, []);
    await page.run(`location.hash = ''`);
    await page.until('the whole page', `document.querySelector('#panel').hidden && document.querySelector('#request-card').hidden`);
  },

  async 'a region is selected by keyboard and shows its rings'() {
    await page.run(`document.querySelector('#map [data-region="paris"]').focus()`);
    await page.press('Enter');
    await page.until('the panel', `!document.querySelector('#panel').hidden && document.querySelectorAll('#rings .dot').length === 3`);
    assert.equal(await page.run(`document.querySelector('#map [data-region="paris"]').getAttribute('aria-pressed')`), 'true');
    assert.match(await page.run(`document.querySelector('#rings').getAttribute('aria-label')`), /Rings of paris\. all, up to 1000 ms.*in use: (oslo, tokyo|tokyo, oslo)/);
    assert.ok((await page.run(`document.querySelector('#panel-lines').children.length`)) >= 3);
    await page.press('Escape');
    await page.until('the table is back', `document.querySelector('#panel').hidden`);
  },

  async 'a dry run shows what the command line says, and changes nothing'() {
    const before = cli('status');
    await page.run(`document.querySelector('#threshold-number').value = ''`);
    await page.run(`document.querySelector('#threshold-number').focus()`);
    await page.type('0.6');
    await page.click('#threshold-ask');
    await page.until('an answer', `document.querySelector('#threshold-result [data-changes]')`);
    const what = cli('whatif', '--threshold', '0.6');
    assert.equal(await page.run(`Number(document.querySelector('#threshold-result [data-changes]').dataset.changes)`), what.changes.length);
    assert.deepEqual(await page.run(`[...document.querySelectorAll('#threshold-result .diff-rows > li')].map((li) => li.dataset.row)`),
      what.changes.map((change) => change.replace(/^(\S+), (\S+):.*/, '$1/$2')));
    // Demand moves a little between the two questions.
    for (const { region: name, planned_load: planned } of what.after) {
      const shown = await page.run(`Number(document.querySelector('#threshold-result tr[data-region="${name}"]')?.lastChild.textContent ?? -1)`);
      if (shown >= 0) assert.ok(Math.abs(shown - (planned ?? 0)) < 0.12, `${name}: ${shown} and ${planned}`);
    }
    const after = cli('status');
    assert.equal(after.tiers[0].overload_threshold, before.tiers[0].overload_threshold);
  },

  async 'what if has drains and demand too, as the command line, and the address opens the same plan'() {
    await page.run(`location.hash = 'drain=tokyo:0.5&scale=paris:1.5'`);
    await page.until('an answer', `document.querySelector('#threshold-result [data-changes]') && /50 % of tokyo drained, demand of paris × 1.5/.test(document.querySelector('#threshold-when').textContent)`);
    const what = cli('whatif', '--drain', 'tokyo=0.5', '--scale', 'paris=1.5');
    assert.deepEqual(await page.run(`[...document.querySelectorAll('#threshold-result .diff-rows > li')].map((li) => li.dataset.row)`),
      what.changes.map((change) => change.replace(/^(\S+), (\S+):.*/, '$1/$2')));
    assert.equal(await page.run(`document.querySelectorAll('#drain-chosen li, #scale-chosen li').length`), 2);
    assert.equal(await page.run(`document.querySelector('#threshold-apply').disabled`), true, 'only a threshold can be set from here');
    await page.click('#drain-chosen button');
    await page.click('#threshold-ask');
    await page.until('the address follows', `location.hash === '#scale=paris%3A1.5'`);
    await page.run(`history.back()`);
    await page.until('back to both', `/50 % of tokyo drained/.test(document.querySelector('#threshold-when').textContent) && document.querySelectorAll('#drain-chosen li').length === 1`);
    await page.run(`location.hash = 'threshold=0.6'`);
    await page.until('the threshold alone', `!document.querySelector('#threshold-apply').disabled && /^threshold .* → 0.60;/.test(document.querySelector('#threshold-when').textContent)`);
  },

  async 'the threshold is set after a look, with name and reason'() {
    await page.click('#threshold-apply');
    await page.until('the dialog with its preview', `document.querySelector('#order').open && document.querySelector('#order-preview [data-changes]')`);
    await page.run(`document.querySelector('#order-who').focus()`);
    await page.type('ann');
    await page.run(`document.querySelector('#order-why').focus()`);
    await page.type('room for the evening');
    await page.press('Enter');
    await page.until('the new threshold', `document.querySelector('#threshold-now').textContent === '0.60'`);
    assert.equal(cli('status').tiers[0].overload_threshold, 0.6);
    const [entry] = cli('audit').entries;
    assert.match(entry.who, /^ann \(dashboard, 127\.0\.0\.1\)$/);
    assert.equal(entry.why, 'room for the evening');
    await page.until('the event', `/room for the evening/.test(document.querySelector('#events .kind-threshold')?.textContent)`);
  },

  async 'orders in force and who gave them are told, and two tables are compared'() {
    await page.until('the threshold is in force', `/has the threshold 0.60.*until it is changed/.test(document.querySelector('#orders-list [data-kind="threshold"]')?.textContent)`);
    await page.run(`document.querySelector('#audit-count').click()`);
    await page.until('the audit log', `/ann \\(dashboard.*room for the evening/.test(document.querySelector('#audit').textContent)`);
    await page.run(`document.querySelector('#past-before').focus()`);
    await page.until('tables to choose from', `document.querySelectorAll('#past-before option').length > 2`);
    await page.run(`document.querySelector('#past-before').selectedIndex = document.querySelectorAll('#past-before option').length - 1`);
    await page.click('#past-form button');
    await page.until('what differs', `/^From \\d+\\.\\d+ to \\d+\\.\\d+: \\d+ rows? differ/.test(document.querySelector('#past-note').textContent) && document.querySelector('#past-result tr')`);
    assert.match(await page.run(`location.hash`), /tables=\d+\.\d+\.\./);
    await page.run(`history.back()`);
    await page.until('nothing is compared', `document.querySelector('#past-note').textContent === ''`);
    await page.run(`location.hash = ''`);
  },

  async 'a region is drained from the page and its traffic moves'() {
    assert.ok(region(cli('status'), 'oslo').served_rps > 2, 'Oslo serves before');
    await page.click('#region-rows [data-region="oslo"] button');
    await page.until('its panel', `document.querySelector('#panel-title').textContent === 'oslo'`);
    await page.click('#drain');
    await page.until('the preview', `document.querySelector('#order').open && document.querySelector('#order-preview [data-changes]')`);
    assert.ok((await page.run(`Number(document.querySelector('#order-preview [data-changes]').dataset.changes)`)) >= 1);
    await page.click('#order-confirm');
    await page.until('the dialog is closed', `!document.querySelector('#order').open`);
    await page.until('the event', `document.querySelector('#events .kind-drain')`);
    await page.until('traffic leaves for Tokyo', `['oslo>tokyo', 'paris>tokyo'].every((key) => document.querySelector('#map [data-flow="' + key + '"]')?.flow.rps > 0.5)`, 20000);
    await page.until('nothing is sent to Oslo', `!document.querySelector('#map [data-flow="paris>oslo"]')`, 20000);
    // Nothing spills into a region that is drained; what had begun there before is let end.
    let status = cli('status');
    const end = Date.now() + 15000;
    while (region(status, 'oslo').served_rps >= 1 && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      status = cli('status');
    }
    assert.equal(region(status, 'oslo').drain_share, 1);
    assert.ok(region(status, 'oslo').served_rps < 1, `Oslo still serves ${region(status, 'oslo').served_rps}`);
    assert.ok(region(status, 'tokyo').served_rps > 3);
    await page.click('#drain');
    await page.until('the question', `document.querySelector('#order').open`);
    await page.click('#order-confirm');
    await page.until('the way back', `document.querySelector('#events .kind-undrain')`);
  },

  async 'everything that can be used has a name, and the tab order begins with the way around the map'() {
    const { nodes } = await page.send('Accessibility.getFullAXTree');
    const nameless = nodes.filter((node) => !node.ignored && ['button', 'link', 'textbox', 'slider', 'spinbutton', 'combobox', 'img', 'image'].includes(node.role?.value) && !node.name?.value);
    assert.deepEqual(nameless.map((node) => node.role.value), []);
    await page.run(`document.activeElement.blur(); window.scrollTo(0, 0)`);
    await page.run(`document.querySelector('.skip').focus()`);
    assert.equal(await page.run(`document.activeElement.textContent`), 'Skip to the table of regions');
    const stops = [];
    for (let i = 0; i < 9; ++i) {
      await page.press('Tab');
      stops.push(await page.run(`document.activeElement.closest('.flows, .places, #panel, #all-regions')?.getAttribute('class') ?? ''`));
    }
    assert.ok(stops.indexOf('flows') >= 0 && stops.indexOf('places') > stops.indexOf('flows'), stops.join());
    assert.equal(stops.filter((stop) => stop === 'places').length, 1, 'the map is one stop, not one a region');
  },

  async 'nothing is wider than a phone'() {
    for (const width of [360, 768, 1920]) {
      await page.send('Emulation.setDeviceMetricsOverride', { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 });
      await page.until(`no sideways scrolling at ${width}`, `document.scrollingElement.scrollWidth <= ${width}`, 3000);
    }
  },

  async 'so far no error, and nothing was asked of anybody else'() {
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.failures, []);
  },

  async 'a dead controller is told, the last state stays, and its return is noticed'() {
    const before = await page.run(`fetch('/api/v1/timeline').then((reply) => reply.json())`);
    const epoch = await page.run(`/epoch (\\d+)/.exec(document.querySelector('#leader').textContent)[1]`);
    await ask('kill', 'killed');
    await page.until('the banner', `!document.querySelector('#banner').hidden`, 10000);
    assert.match(await page.text('#banner-text'), /No connection to the controller since \d\d:\d\d:\d\d.*routers go on/);
    assert.equal(await page.run(`document.querySelectorAll('#region-rows tr').length`), 3);
    await ask('start', 'started');
    await page.until('the stream is live again', `document.querySelector('#link').classList.contains('live') && document.querySelector('#banner').hidden`, 15000);
    await page.until('the new leader', `/leads in epoch \\d+/.test(document.querySelector('#events')?.textContent) && Number(/epoch (\\d+)/.exec(document.querySelector('#leader').textContent)?.[1]) > ${epoch}`, 15000);
    // Its hour goes on, from what was saved, and so do its events.
    const events = await page.run(`fetch('/api/v1/events?after=0').then((reply) => reply.json())`);
    assert.ok(events.events.some((event) => event.text.includes(`leads in epoch ${epoch}`)), 'events of the former life');
    let after = { demand: [] };
    for (let tries = 0; after.demand.length === 0 && tries < 100; ++tries) {
      after = await page.run(`fetch('/api/v1/timeline').then((reply) => reply.json())`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok(before.demand.length > 0 && after.demand.length > 0 && after.demand[0] !== null, JSON.stringify(after.demand));
    assert.ok(Math.abs(after.start_ms - before.start_ms) <= before.step_ms, `${after.start_ms} and ${before.start_ms}`);
    // What could not be loaded while nobody was there is the only thing to complain about.
    assert.deepEqual(page.problems.filter((problem) => !/net::ERR_/.test(problem)), []);
    const foreign = page.requests.filter((request) => new URL(request).origin !== new URL(url).origin);
    assert.deepEqual(foreign, []);
  },
};

let failed = false;
for (const [name, step] of Object.entries(steps)) {
  const start = Date.now();
  try {
    await step();
    console.log(`ok    ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    console.log(`FAILED ${name}: ${error.message}\n${error.stack}`);
    console.log(`problems: ${JSON.stringify(page?.problems)} failures: ${JSON.stringify(page?.failures)}`);
    if (page && process.env.RINGWAY_SCREENSHOT) writeFileSync(process.env.RINGWAY_SCREENSHOT, await page.screenshot({ format: 'png', full: true }));
    failed = true;
    break;
  }
}
await browser.stop();
process.exit(failed ? 1 : 0);
