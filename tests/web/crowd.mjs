// The dashboard of a hundred regions, and of the 21 of topology/aws.yaml: no label covers another, zoom by button, key,
// wheel, drag and address, and axe-core finds nothing on phone, laptop and wide screen, light and dark, on every tab.
//
// usage: node crowd.mjs FOLDER-OF-PROGRAMS AXE    AXE: axe.min.js, or a path where nothing is: then without it
// Exit code 0: everything was as it must be; 77: there is no Chromium. The controller is the real one, its routers are played by puppets.cc.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser, CHROMIUM } from './browser.mjs';

if (!CHROMIUM) {
  console.log('left out: no Chromium (Debian package chromium)');
  process.exit(77);
}

const [programs, axe] = process.argv.slice(2);
const source = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(join(tmpdir(), 'ringway-crowd-'));
const sleep = (ms) => new Promise((resume) => setTimeout(resume, ms));
const children = [];
process.on('exit', () => {
  children.forEach((child) => child.kill('SIGKILL'));
  rmSync(folder, { recursive: true, force: true });
});

process.on('SIGTERM', () => process.exit(1)); // and so ends what was started

// A hundred places in four clusters, so that some are dense.
function hundredRegions() {
  const centres = [[48, 8], [40, -95], [30, 110], [-20, 25]];
  const regions = Array.from({ length: 100 }, (_, i) => {
    const [latitude, longitude] = centres[i % 4];
    const [ring, angle] = [Math.sqrt(i / 100), i * 2.39996];
    return { name: `region-${i}`, title: `Long named place ${i}`, latitude: latitude + 14 * ring * Math.sin(angle), longitude: longitude + 22 * ring * Math.cos(angle), workers: 2 + (i * 7) % 9 };
  });
  return `apiVersion: ringway/v1\nkind: World\nmetadata:\n  name: crowd\nspec:\n  regions:\n${regions.map((r) =>
    `    - {name: ${r.name}, title: ${r.title}, coordinates: {latitudeDeg: ${r.latitude.toFixed(2)}, longitudeDeg: ${r.longitude.toFixed(2)}}, utcOffset: "+00:00", populationShare: 0.01}\n`).join('')}` +
    `  rtt:\n    withinRegionMs: 0.5\n---\napiVersion: ringway/v1\nkind: Tier\nmetadata:\n  name: animate\nspec:\n  serviceMean: 1s\n  deadline: 30s\n  priorities: [interactive]\n` +
    `  metrics:\n    - {name: busy, aggregation: sum, capacity: 1, capacityPer: worker, maxAge: 30s}\n  overloadThreshold: 0.8\n  rings:\n    - {name: near, rttMsMax: 60, unlockLoad: 0.8}\n    - {name: world, rttMsMax: 500, unlockLoad: 0.9}\n` +
    `  regions:\n${regions.map((r) => `    - {region: ${r.name}, workers: ${r.workers}}\n`).join('')}`;
}

async function serve(name, topology) {
  const ports = join(folder, `${name}.ports`);
  const start = (program, ...words) => children.push(spawn(join(programs, program), words, { stdio: ['ignore', 'inherit', 'inherit'] }));
  start('ringway-controller', '--topology', topology, '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0', '--state-dir', join(folder, name),
    '--port-file', ports, '--log-level', 'error');
  for (let i = 0; i < 200 && !existsSync(ports); ++i) await sleep(50);
  const address = Object.fromEntries(readFileSync(ports, 'utf8').trim().split('\n').map((line) => line.split(/[ =]+/)));
  start('dashboard_puppets', address.grpc, topology, '300');
  return `http://${address.http}/`;
}

// The pairs of labels of which one lies over the other, by what the browser has drawn.
const COVERED = `(() => {
  const boxes = [...document.querySelectorAll('#map .label')].filter((text) => text.textContent).map((text) => ({ name: text.textContent, box: text.getBoundingClientRect() }));
  const meets = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
  return { labels: boxes.length, covered: boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => meets(a.box, b.box)).map((b) => a.name + ' and ' + b.name)) };
})()`;

async function noLabelCoversAnother(page, least) {
  const { labels, covered } = await page.run(COVERED);
  assert.deepEqual(covered, []);
  assert.ok(labels >= least, `${labels} labels`);
  return labels;
}

// On the whole page, or what `of` holds.
async function complaints(page, of = 'body') {
  if (!existsSync(axe)) return [];
  if (!(await page.run(`'axe' in window`))) await page.run(readFileSync(axe, 'utf8'));
  return page.run(`axe.run('${of}').then((result) => result.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).join(', ')))`);
}

const circles = (page) => page.run(`document.querySelectorAll('#map .place').length`);

async function zooms(page) {
  const all = await circles(page);
  await page.click('#zoom-in');
  await page.until('the address has the part', `/map=1\\.60/.test(location.hash)`);
  await page.run(`document.querySelector('#map .place').focus()`);
  for (let i = 0; i < 3; ++i) await page.press('+');
  await page.until('keys zoom', `/map=6\\.5/.test(location.hash)`);
  assert.ok((await circles(page)) < all, 'what lies outside is not drawn');
  await noLabelCoversAnother(page, 0);
  const middle = await page.run(`(() => { const b = document.querySelector('#map').getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()`);
  const before = await page.run('location.hash');
  await page.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...middle, button: 'left', clickCount: 1 });
  for (const step of [10, 60, 120]) await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: middle.x + step, y: middle.y, button: 'left', buttons: 1 });
  await page.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x: middle.x + 120, y: middle.y, button: 'left', clickCount: 1 });
  await page.until('the map was dragged', `location.hash !== ${JSON.stringify(before)} && /map=6\\.5/.test(location.hash)`);
  assert.equal(await page.run(`document.querySelector('#panel').hidden`), true, 'a drag chooses no region');
  await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', ...middle, deltaX: 0, deltaY: -120 });
  await page.until('the wheel zooms', `/map=(9|1\\d)\\./.test(location.hash)`);
  const deep = await page.run('location.href');
  await page.click('#zoom-whole');
  await page.until('the whole world', `!/map=/.test(location.hash) && document.querySelectorAll('#map .place').length === ${all}`);
  await page.open('about:blank');
  await page.open(deep);
  await page.until('the same part', `document.querySelector('#map.zoomed') && location.href === ${JSON.stringify(deep)}`);
  await page.run(`location.hash = ''`);
  await page.until('the whole again', `document.querySelectorAll('#map .place').length === ${all}`);
}

// Two fingers that part, and come together again.
async function pinches(page) {
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
  const middle = await page.run(`(() => { const map = document.querySelector('#map'); map.scrollIntoView({ block: 'center' }); const b = map.getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()`);
  const pinch = async (...widths) => {
    const fingers = (apart) => [-1, 1].map((side, id) => ({ x: middle.x + side * apart, y: middle.y, id }));
    await page.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(widths[0]) });
    for (const apart of widths) await page.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) });
    await page.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  };
  await pinch(25, 35, 55, 75);
  await page.until('fingers that part zoom in', `/map=[23]\\./.test(location.hash)`);
  assert.equal(await page.run(`document.querySelector('#panel').hidden`), true, 'a pinch chooses no region');
  await pinch(90, 60, 30, 15);
  await page.until('fingers that meet zoom out', `!/map=/.test(location.hash)`);
}

const SCREENS = [{ name: 'phone', width: 390, height: 844, touch: true, scale: 2 }, { name: 'laptop', width: 1366, height: 860 }, { name: 'wide', width: 1920, height: 1100 }];

async function visit(browser, name, url, regions) {
  for (const screen of SCREENS) {
    for (const dark of [false, true]) {
      const page = await browser.page({ ...screen, dark });
      await page.open(url);
      await page.until('all regions', `document.querySelectorAll('#map .place').length === ${regions} && document.querySelectorAll('#region-rows tr').length === ${regions}`, 60000);
      const labels = await noLabelCoversAnother(page, 3);
      const target = await page.run(`document.querySelector('#region-rows tr').dataset.region`);
      for (const part of ['', 'rings', 'workers', 'routers', 'jobs']) {
        await page.run(`location.hash = ${JSON.stringify(part ? `region=${target}&part=${part}` : '')}`);
        await page.until(`part ${part}`, part ? `!document.querySelector('#panel').hidden && document.querySelector('#tab-${part}').getAttribute('aria-selected') === 'true'` : `document.querySelector('#panel').hidden`);
        await page.until('its answer', part === '' ? 'true' : (part === 'rings' ? `document.querySelector('#rings').hasAttribute('aria-label')`
          : `document.querySelector('#members tbody tr, #jobs-list dd')`));
        assert.deepEqual(await complaints(page, part ? '#panel' : 'body'), [], `${name} ${screen.name} ${dark ? 'dark' : 'light'} ${part}`);
        await noLabelCoversAnother(page, 3);
      }
      await page.run(`location.hash = ''`);
      await page.until('the whole page', `document.querySelector('#panel').hidden`);
      await page.until('nothing is wider than the screen', `document.scrollingElement.scrollWidth <= ${screen.width}`, 3000);
      await page.until('no figure is wider than its place', `[...document.querySelectorAll('#sums b > *')].every((value) =>
        value.getBoundingClientRect().right <= value.closest('#sums > div').getBoundingClientRect().right)`, 3000);
      if (process.env.RINGWAY_PICTURES) {
        await page.run(`location.hash = 'region=${target}&part=workers'`);
        await sleep(500);
        writeFileSync(join(process.env.RINGWAY_PICTURES, `${name}-${screen.name}-${dark ? 'dark' : 'light'}.png`), await page.screenshot({ format: 'png', full: true }));
        await page.run(`location.hash = ''`);
        await page.until('the whole page', `document.querySelector('#panel').hidden`);
      }
      if (screen.name === 'laptop' && !dark) await zooms(page);
      if (screen.touch && !dark) await pinches(page);
      assert.deepEqual(page.problems, []);
      console.log(`ok    ${name}, ${screen.name}, ${dark ? 'dark' : 'light'}: ${labels} labels`);
      await browser.send('Target.closeTarget', { targetId: page.target });
    }
  }
}

const crowd = join(folder, 'crowd.yaml');
writeFileSync(crowd, hundredRegions());
const urls = [['crowd', await serve('crowd', crowd), 100], ['aws', await serve('aws', join(source, 'topology/aws.yaml')), 21]];
const browser = await Browser.start();
let failed = false;
try {
  for (const [name, url, regions] of urls) await visit(browser, name, url, regions);
} catch (error) {
  failed = true;
  console.log(`FAILED ${error.stack}`);
}
await browser.stop();
process.exit(failed ? 1 : 0);
