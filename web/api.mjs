// The controller's documents: asking for them, sending orders, and following the live stream.
import { EventReader } from './sse.mjs';

const ROOT = '/api/v1/';
const TOKEN_KEY = 'ringway-token';
const RETRY_MS = [500, 1000, 2000, 3000, 5000];
// A stream that is silent for so many epochs, but at least so long, is dead even if nobody has closed it.
const SILENT_EPOCHS = 5;
const SILENT_MS_MIN = 6000;

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// Lives as long as the tab: a token on a shared machine should not stay behind.
export const token = {
  get: () => sessionStorage.getItem(TOKEN_KEY) ?? '',
  set: (value) => sessionStorage.setItem(TOKEN_KEY, value),
};

async function send(path, options = {}) {
  const headers = { ...options.headers };
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  const response = await fetch(ROOT + path, { ...options, headers, cache: 'no-store' });
  if (response.ok) return response;
  const problem = await response.json().catch(() => null);
  throw new Refusal(response.status, problem?.error?.message ?? `the controller answered ${response.status}`);
}

export const get = async (path) => (await send(path)).json();

export const post = async (path, body) =>
  (await send(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json();

// Calls onFrame(document) with every frame, onLink(error) when the stream is lost or cannot be had; tries again for ever.
export async function watch(onFrame, onLink) {
  for (let tries = 0; ; ++tries) {
    try {
      await follow((frame) => {
        tries = 0;
        onFrame(frame);
      });
      onLink(new Error('the controller closed the stream'));
    } catch (error) {
      onLink(error);
      if (error instanceof Refusal && error.status === 401) return;
    }
    await new Promise((resume) => setTimeout(resume, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]));
  }
}

async function follow(onFrame) {
  const silence = new AbortController();
  let timer = 0;
  let silentMs = SILENT_MS_MIN;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Error('nothing was heard for a while')), silentMs);
  };
  heard();
  try {
    const response = await send('live', { signal: silence.signal });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const events = new EventReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard();
      for (const { event, data } of events.push(value)) {
        if (event !== 'fleet') continue;
        const frame = JSON.parse(data);
        silentMs = Math.max(SILENT_MS_MIN, SILENT_EPOCHS * 1000 * frame.epoch_period_s);
        onFrame(frame);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
