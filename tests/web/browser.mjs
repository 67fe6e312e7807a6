// A Chromium without a window, driven over its DevTools pipe: no driver program, no packages.
//
// Commands are JSON messages that end with a NUL byte, written to file descriptor 3 of the browser and read from its 4
// (--remote-debugging-pipe). Everything that a test must not miss is kept: console errors, exceptions, failed loads, and
// every URL that was asked for. Ends with the process that made it; the profile lives in a scratch folder.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMAND_MS_MAX = 20000;
const POLL_MS = 50;

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

const sleep = (ms) => new Promise((resume) => setTimeout(resume, ms));

export class Browser {
  #pending = new Map();
  #next = 1;
  #rest = '';
  #pages = new Map();

  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), 'ringway-browser-'));
    browser.process = spawn(
      CHROMIUM,
      ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--mute-audio',
        '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-default-apps',
        '--font-render-hinting=none', '--force-color-profile=srgb', '--remote-debugging-pipe',
        `--user-data-dir=${browser.profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    browser.process.stdio[4].setEncoding('utf8').on('data', (text) => browser.#read(text));
    process.on('exit', () => browser.process.kill('SIGKILL'));
    return browser;
  }

  #read(text) {
    const parts = (this.#rest + text).split('\0');
    this.#rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (message.id) {
        const { resolve, reject } = this.#pending.get(message.id) ?? {};
        this.#pending.delete(message.id);
        if (message.error) reject?.(new Error(message.error.message));
        else resolve?.(message.result);
      } else {
        this.#pages.get(message.sessionId)?.take(message);
      }
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      setTimeout(() => this.#pending.delete(id) && reject(new Error(`${method}: no answer`)), COMMAND_MS_MAX).unref();
    });
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return answer;
  }

  async page({ width = 1280, height = 800, scale = 1, dark = false, calm = false, touch = false } = {}) {
    const { browserContextId } = await this.send('Target.createBrowserContext');
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.#pages.set(sessionId, page);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: touch });
    await page.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
        { name: 'prefers-reduced-motion', value: calm ? 'reduce' : 'no-preference' }],
    });
    return page;
  }

  async stop() {
    const ended = new Promise((resume) => this.process.once('exit', resume));
    await this.send('Browser.close').catch(() => {});
    await Promise.race([ended, sleep(3000)]);
    this.process.kill('SIGKILL');
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

class Page {
  problems = []; // console errors and exceptions
  requests = []; // URLs
  failures = []; // loads that failed, with the reason

  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  take({ method, params }) {
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    if (method === 'Network.loadingFailed' && !params.canceled) this.failures.push(params.errorText);
    if (method === 'Runtime.exceptionThrown') this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && ['error', 'assert'].includes(params.type)) this.problems.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.problems.push(`${params.entry.text} ${params.entry.url ?? ''}`);
  }

  // The value of an expression in the page, promises awaited.
  async run(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Until the expression is true; fails with what it was waiting for.
  async until(what, expression, limitMs = 15000) {
    const end = Date.now() + limitMs;
    for (;;) {
      const value = await this.run(expression).catch(() => undefined);
      if (value) return value;
      if (Date.now() > end) throw new Error(`waited ${limitMs} ms in vain until ${what}`);
      await sleep(POLL_MS);
    }
  }

  text(selector) {
    return this.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);
  }

  async click(selector) {
    const quoted = JSON.stringify(selector);
    await this.run(`document.querySelector(${quoted}).scrollIntoView({block: 'center'})`);
    const box = await this.run(`(() => { const b = document.querySelector(${quoted}).getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()`);
    for (const type of ['mousePressed', 'mouseReleased']) {
      await this.send('Input.dispatchMouseEvent', { type, ...box, button: 'left', clickCount: 1 });
    }
  }

  async hover(selector) {
    const box = await this.run(`(() => { const b = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()`);
    await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...box });
  }

  async press(key) {
    const codes = { Tab: 9, Enter: 13, Escape: 27, ArrowRight: 39, ArrowLeft: 37, ' ': 32 };
    const event = { key, code: key === ' ' ? 'Space' : key, windowsVirtualKeyCode: codes[key], text: key === 'Enter' ? '\r' : undefined };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  type(text) {
    return this.send('Input.insertText', { text });
  }

  async open(url) {
    await this.send('Page.navigate', { url });
    await this.until('the page has loaded', `document.readyState === 'complete' && location.href.startsWith(${JSON.stringify(url)})`);
  }

  async screenshot({ format = 'webp', quality = 80, full = false } = {}) {
    const clip = full ? (await this.send('Page.getLayoutMetrics')).cssContentSize : null;
    const { data } = await this.send('Page.captureScreenshot', {
      format, quality: format === 'png' ? undefined : quality, captureBeyondViewport: full,
      clip: clip ? { x: 0, y: 0, width: clip.width, height: clip.height, scale: 1 } : undefined,
    });
    return Buffer.from(data, 'base64');
  }
}
