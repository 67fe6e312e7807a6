// What part of the map is looked at: how much larger than the whole, and what is in the middle.
//
// The whole is what fit() shows of the world; {by, latitude, longitude} is a part of it, null the whole. By wheel, by drag,
// by two fingers, by + - and 0 while the map has the focus, and by buttons. The page scrolls on over a map that shows all.
// All but ZoomHands is pure.
import { project, projectLatitude, unprojectLatitude } from './projection.mjs';

export const ZOOM_MAX = 24;
export const STEP = 1.6;
const DRAG_MIN = 4; // pixels; less is a click
const SCROLLING_MS = 300; // so long after the page has scrolled the wheel is still the page's

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

// view: of the whole, as fit() gives it. -> the view of the part.
export function viewOf(whole, zoom, { width, height }, north) {
  if (!zoom) return whole;
  const scale = whole.scale * zoom.by;
  const middle = project(zoom.latitude, zoom.longitude, north);
  return { scale, x: middle.x - width / 2 / scale, y: middle.y - height / 2 / scale };
}

// The part after zooming by `factor` around a pixel that stays where it is, and moving by (dx, dy) pixels; null: the whole.
export function change(whole, zoom, size, north, { factor = 1, at = { x: size.width / 2, y: size.height / 2 }, dx = 0, dy = 0 }) {
  const now = viewOf(whole, zoom, size, north);
  const by = clamp((zoom?.by ?? 1) * factor, 1, ZOOM_MAX);
  if (by <= 1.001) return null;
  const scale = whole.scale * by;
  const x = now.x + at.x / now.scale + (size.width / 2 - at.x - dx) / scale;
  const y = now.y + at.y / now.scale + (size.height / 2 - at.y - dy) / scale;
  const top = projectLatitude(north);
  return { by, latitude: clamp(unprojectLatitude(top - y), -80, 84), longitude: clamp(x, 0, 359.99) - 180 };
}

export const textOf = (zoom) => (zoom ? `${zoom.by.toFixed(2)},${zoom.latitude.toFixed(2)},${zoom.longitude.toFixed(2)}` : '');

// What is no such text is the whole.
export function zoomFrom(text) {
  const [by, latitude, longitude, ...rest] = (text ?? '').split(',').map(Number);
  const sound = rest.length === 0 && by > 1 && by <= ZOOM_MAX && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return sound ? { by, latitude, longitude } : null;
}

// Turns what hands do on the map into calls of move({factor, at, dx, dy, keys}); reset() is the whole world again.
export class ZoomHands {
  #pointers = new Map(); // by id: where they are
  #dragged = false;
  #scrolledAt = -Infinity;

  constructor(svg, { move, reset, zoomed }) {
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    addEventListener('scroll', () => (this.#scrolledAt = performance.now()), { passive: true });
    svg.addEventListener('wheel', (event) => {
      const out = event.deltaY > 0;
      const scrolling = performance.now() - this.#scrolledAt < SCROLLING_MS && !event.ctrlKey;
      if (scrolling || (out && !zoomed())) return;
      event.preventDefault();
      move({ factor: Math.exp(clamp(-event.deltaY, -120, 120) / 300), at: at(event) });
    }, { passive: false });
    svg.addEventListener('touchstart', (event) => event.touches.length > 1 && event.preventDefault(), { passive: false });
    svg.addEventListener('pointerdown', (event) => {
      this.#dragged = false;
      this.#pointers.set(event.pointerId, at(event));
    });
    svg.addEventListener('pointermove', (event) => this.#pointers.has(event.pointerId) && this.#drag(svg, event, at(event), move, zoomed));
    for (const end of ['pointerup', 'pointercancel']) svg.addEventListener(end, (event) => this.#pointers.delete(event.pointerId));
    // What ends a drag chooses nothing.
    svg.addEventListener('click', (event) => this.#dragged && event.stopPropagation(), { capture: true });
    svg.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '+' || event.key === '=') move({ factor: STEP, keys: true });
      else if (event.key === '-') move({ factor: 1 / STEP, keys: true });
      else if (event.key === '0') reset();
    });
  }

  #drag(svg, event, now, move, zoomed) {
    const before = this.#pointers.get(event.pointerId);
    const [other] = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const delta = { dx: now.x - before.x, dy: now.y - before.y };
    if (!this.#dragged && Math.hypot(delta.dx, delta.dy) < DRAG_MIN) return;
    if (!other && !zoomed()) return;
    if (!this.#dragged) svg.setPointerCapture(event.pointerId);
    this.#dragged = true;
    this.#pointers.set(event.pointerId, now);
    if (!other) return move(delta);
    const apart = (place) => Math.max(10, Math.hypot(place.x - other.x, place.y - other.y));
    move({ factor: apart(now) / apart(before), at: { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }, dx: delta.dx / 2, dy: delta.dy / 2 });
  }
}
