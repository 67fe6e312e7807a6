// Geometry of the map: what part of the world to show, where circles, labels and arcs go. Pure.
import { project, projectLatitude } from './projection.mjs';

const SOUTH = -56;
const SCALE_MAX = 16; // pixels a degree
// What stays free around the outermost places, for circles and labels; less on a small screen.
const padOf = (width, height) => ({ x: Math.min(64, width * 0.07), y: Math.min(46, height * 0.12) });

// The part of the world that holds all places, and the scale: {scale, x, y} so that a point's pixel is
// ((px - x) * scale, (py - y) * scale).
export function fit(points, width, height, north) {
  const worldHeight = projectLatitude(north) - projectLatitude(SOUTH);
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const low = { x: Math.min(360, ...xs), y: Math.min(worldHeight, ...ys) };
  const high = { x: Math.max(0, ...xs), y: Math.max(0, ...ys) };
  const pad = padOf(width, height);
  const room = { x: width - 2 * pad.x, y: height - 2 * pad.y };
  const scale = Math.min(SCALE_MAX, room.x / Math.max(1, high.x - low.x), room.y / Math.max(1, high.y - low.y));
  // Centred on the places, but no emptier at an edge of the world than need be.
  const place = (middle, visible, world) =>
    visible >= world ? (world - visible) / 2 : Math.max(0, Math.min(world - visible, middle - visible / 2));
  return {
    scale,
    x: place((low.x + high.x) / 2, width / scale, 360),
    y: place((low.y + high.y) / 2, height / scale, worldHeight),
  };
}

export function toPixels(view, latitude, longitude, north) {
  const point = project(latitude, longitude, north);
  return { x: (point.x - view.x) * view.scale, y: (point.y - view.y) * view.scale };
}

// Radii so that area grows with capacity; the largest is `max`, none is below `min`.
export function radii(capacities, min, max) {
  const most = Math.max(1, ...capacities);
  return capacities.map((capacity) => Math.max(min, max * Math.sqrt(Math.max(0, capacity) / most)));
}

// Moves circles apart until none overlap, each as little as possible from its home. Deterministic; O(rounds n^2).
export function spread(circles, { gap = 7, rounds = 120, bounds = null } = {}) {
  const moved = circles.map(({ x, y, r }) => ({ x, y, r, home: { x, y } }));
  for (let round = 0; round < rounds; ++round) {
    let overlaps = false;
    for (let i = 0; i < moved.length; ++i) {
      for (let j = i + 1; j < moved.length; ++j) overlaps = part(moved[i], moved[j], gap, i + j) || overlaps;
    }
    if (bounds) moved.forEach((circle) => keepInside(circle, bounds));
    if (!overlaps) break;
    // Towards home a little, so that only what must move stays moved; not in the last rounds, which settle.
    if (round < rounds * 0.7) {
      for (const circle of moved) {
        circle.x += (circle.home.x - circle.x) * 0.06;
        circle.y += (circle.home.y - circle.y) * 0.06;
      }
    }
  }
  return moved;
}

function part(a, b, gap, salt) {
  let dx = b.x - a.x;
  let dy = b.y - a.y;
  let distance = Math.hypot(dx, dy);
  const wanted = a.r + b.r + gap;
  if (distance >= wanted - 0.01) return false;
  if (distance < 1e-6) [dx, dy, distance] = [Math.cos(salt), Math.sin(salt), 1];
  const push = (wanted - Math.min(distance, wanted)) / 2 || wanted / 2;
  a.x -= (dx / distance) * push;
  a.y -= (dy / distance) * push;
  b.x += (dx / distance) * push;
  b.y += (dy / distance) * push;
  return true;
}

function keepInside(circle, { width, height }) {
  circle.x = Math.max(circle.r + 2, Math.min(width - circle.r - 2, circle.x));
  circle.y = Math.max(circle.r + 2, Math.min(height - circle.r - 2, circle.y));
}

// A label beside each circle, where it covers neither a circle nor an earlier label; null where there is no room.
// items: [{x, y, r, width, must?}], most important first. One that must be seen may cover circles; it comes first, so that no
// label covers it. -> [{x, y, anchor} | null]
export function placeLabels(items, { height, bounds }) {
  const taken = items.map(({ x, y, r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
  return items.map((item, index) => {
    const gap = item.r + 5;
    const candidates = [
      { x: item.x + gap, y: item.y, anchor: 'start', left: item.x + gap },
      { x: item.x - gap, y: item.y, anchor: 'end', left: item.x - gap - item.width },
      { x: item.x, y: item.y + gap + height / 2, anchor: 'middle', left: item.x - item.width / 2 },
      { x: item.x, y: item.y - gap - height / 2, anchor: 'middle', left: item.x - item.width / 2 },
    ];
    for (const [tries, { left, ...place }] of [...candidates, ...(item.must ? candidates : [])].entries()) {
      const box = { left, right: left + item.width, top: place.y - height / 2, bottom: place.y + height / 2 };
      const outside = box.left < 2 || box.right > bounds.width - 2 || box.top < 2 || box.bottom > bounds.height - 2;
      const covers = tries < candidates.length && taken.some((other, i) => i !== index && overlap(box, other));
      if (outside || covers) continue;
      taken.push(box);
      return place;
    }
    return null;
  });
}

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// An arc from circle to circle, bowed to the left of its way, so that there and back are two lines. Where the way over
// the date line is shorter, it leaves the map on one side and comes back on the other. -> SVG path data.
export function arc(from, to, worldWidth) {
  const over = worldWidth > 0 && Math.abs(to.x - from.x) > worldWidth / 2;
  if (!over) return curve(from, to);
  const turn = to.x > from.x ? -worldWidth : worldWidth;
  return `${curve(from, { ...to, x: to.x + turn })} ${curve({ ...from, x: from.x - turn }, to)}`;
}

function curve(from, to) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = Math.hypot(dx, dy) || 1;
  // Neighbours are passed at a distance that can be seen.
  const bow = Math.max(Math.min(0.22 * length, 90), (from.r + to.r) * 0.8);
  // Northwards where the way is mostly east-west, as great circles run.
  const side = dx >= 0 ? 1 : -1;
  const lift = Math.abs(dx) > Math.abs(dy) ? side : 1;
  const middle = { x: (from.x + to.x) / 2 + (dy / length) * bow * lift, y: (from.y + to.y) / 2 - (dx / length) * bow * lift };
  const start = towards(from, middle, from.r + 2);
  const end = towards(to, middle, to.r + 7);
  const f = (number) => number.toFixed(1);
  return `M${f(start.x)} ${f(start.y)}Q${f(middle.x)} ${f(middle.y)} ${f(end.x)} ${f(end.y)}`;
}

function towards(point, aim, distance) {
  const length = Math.hypot(aim.x - point.x, aim.y - point.y) || 1;
  return { x: point.x + ((aim.x - point.x) / length) * distance, y: point.y + ((aim.y - point.y) / length) * distance };
}

// For the figure of rings: how far from the middle an RTT lies; rings are evenly spaced, and inside each the distance
// grows with the RTT. Beyond the last ring: the rim. -> 0..1
export function ringRadius(rttMs, ringsMaxMs) {
  const inner = 0.16;
  const width = (0.94 - inner) / Math.max(1, ringsMaxMs.length);
  let low = 0;
  for (let i = 0; i < ringsMaxMs.length; ++i) {
    if (rttMs <= ringsMaxMs[i]) return inner + width * (i + (rttMs - low) / Math.max(1e-9, ringsMaxMs[i] - low));
    low = ringsMaxMs[i];
  }
  return 1;
}

// Bearing on the map, for the direction in that figure: radians, 0 to the east, clockwise on the screen.
export function direction(from, to) {
  let dx = to.longitude - from.longitude;
  if (dx > 180) dx -= 360;
  if (dx < -180) dx += 360;
  return Math.atan2(projectLatitude(from.latitude) - projectLatitude(to.latitude), dx);
}
