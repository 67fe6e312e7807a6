#!/usr/bin/env node
// Takes the pictures of docs/images/: the dashboard on a phone, a laptop and a wide screen, light and dark.
//
// usage: node tools/screenshots/dashboard.mjs [SECONDS]    from the root of the checkout, after
//        ./dev build ringway-controller dashboard_puppets; needs Chromium; SECONDS of life before the first (180)
//
// The controller is the real one, with the 21 regions of topology/aws.yaml; its routers are played by
// tests/web/puppets.cc. The pictures are WebP, small enough for a repository.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '../../tests/web/browser.mjs';

const BYTES_MAX = 150 * 1024;
const seconds = Number(process.argv[2] ?? 180);
const folder = mkdtempSync(join(tmpdir(), 'ringway-pictures-'));
const sleep = (ms) => new Promise((resume) => setTimeout(resume, ms));
const children = [];
const start = (program, ...words) => children.push(spawn(`build/bin/${program}`, words, { stdio: 'ignore' }));
process.on('exit', () => {
  children.forEach((child) => child.kill('SIGKILL'));
  rmSync(folder, { recursive: true, force: true });
});

const ports = join(folder, 'ports');
start('ringway-controller', '--topology', 'topology/aws.yaml', '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0',
  '--state-dir', join(folder, 'state'), '--port-file', ports, '--dashboard-writes', '--log-level', 'error');
while (!existsSync(ports)) await sleep(50);
const address = Object.fromEntries(readFileSync(ports, 'utf8').trim().split('\n').map((line) => line.split(/[ =]+/)));
const url = `http://${address.http}/`;
start('dashboard_puppets', address.grpc, 'topology/aws.yaml', String(seconds + 300));
await sleep(seconds * 1000);

const browser = await Browser.start();

async function picture(name, options, prepare = async () => {}) {
  const page = await browser.page(options);
  await page.open(url);
  await page.until('the stream is live', `document.querySelector('#link').classList.contains('live')`);
  await page.until('flows', `document.querySelectorAll('.flow').length > 2`, 60000);
  await sleep(2500);
  await prepare(page);
  let quality = 84;
  let bytes = await page.screenshot({ quality, full: options.full });
  while (bytes.length > BYTES_MAX && quality > 30) bytes = await page.screenshot({ quality: (quality -= 8), full: options.full });
  writeFileSync(`docs/images/${name}.webp`, bytes);
  console.log(`docs/images/${name}.webp: ${(bytes.length / 1024).toFixed(0)} kB${page.problems.length ? `, problems: ${page.problems}` : ''}`);
}

const select = (region) => async (page) => {
  await page.run(`document.querySelector('#region-rows [data-region="${region}"] button').click()`);
  await page.until('its rings', `document.querySelectorAll('#rings .dot').length > 3`);
  await sleep(800);
};

const whatIf = async (page) => {
  await page.run(`document.querySelector('#threshold-number').value = ''`);
  await page.run(`document.querySelector('#threshold-number').focus()`);
  await page.type('0.65');
  await page.run(`document.querySelector('#threshold-ask').click()`);
  await page.until('an answer', `document.querySelector('#threshold-result [data-changes]')`);
  await page.run(`document.querySelector('#threshold-apply').click()`);
  await page.until('its preview', `document.querySelector('#order-preview [data-changes]')`);
  await sleep(500);
};

await picture('dashboard-laptop-light', { width: 1366, height: 860 });
await picture('dashboard-laptop-dark', { width: 1366, height: 860, dark: true }, select('eu-central-1'));
await picture('dashboard-wide-light', { width: 1720, height: 1100 }, select('eu-central-1'));
await picture('dashboard-wide-dark', { width: 1720, height: 1100, dark: true });
await picture('dashboard-phone-light', { width: 390, height: 844, scale: 2, touch: true });
await picture('dashboard-phone-dark', { width: 390, height: 844, scale: 2, dark: true, touch: true }, async (page) => {
  await select('eu-central-1')(page);
  await page.run(`document.querySelector('#panel').scrollIntoView()`);
  await sleep(500);
});
await picture('dashboard-what-if', { width: 1100, height: 760 }, whatIf);
await browser.stop();
process.exit(0);
