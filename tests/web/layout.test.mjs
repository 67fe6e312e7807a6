// Geometry of the map: tables for what is exact, many random worlds for what must always hold.
import assert from 'node:assert/strict';
import test from 'node:test';
import { COLUMNS, NORTH, ROWS } from '../../web/land.mjs';
import { arc, direction, fit, placeLabels, radii, ringRadius, spread, toPixels } from '../../web/layout.mjs';
import { project, projectLatitude, unprojectLatitude } from '../../web/projection.mjs';
import { change, textOf, viewOf, ZOOM_MAX, zoomFrom } from '../../web/zoom.mjs';

// A small generator with a seed (xorshift), so that a failure can be seen again.
function random(seed) {
  let state = seed * 2654435761 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

test('the projection rises from pole to pole and comes back', () => {
  let before = -Infinity;
  for (let latitude = -88; latitude <= 88; latitude += 0.5) {
    const y = projectLatitude(latitude);
    assert.ok(y > before, `${latitude}`);
    assert.ok(Math.abs(unprojectLatitude(y) - latitude) < 1e-6, `${latitude}`);
    before = y;
  }
  // Table 1 of the paper: 90 degrees are 1.790857 on the unit sphere, so 45 must lie below half of that.
  assert.ok(projectLatitude(45) * Math.PI / 180 < 0.9);
  assert.equal(project(0, -180, NORTH).x, 0);
  assert.equal(project(0, 190, NORTH).x, 10);
});

test('the land is where it is', () => {
  const isLand = (latitude, longitude) => {
    const { x, y } = project(latitude, longitude, NORTH);
    const step = 360 / COLUMNS;
    const column = Math.floor(x / step);
    return Boolean((parseInt(ROWS[Math.floor(y / step)][column >> 2], 16) >> (3 - (column & 3))) & 1);
  };
  for (const [name, latitude, longitude] of [['Kansas', 38, -98], ['Brazil', -10, -52], ['Chad', 15, 18], ['Germany', 50.5, 10], ['Siberia', 62, 100], ['India', 22, 78], ['Australia', -25, 134]]) {
    assert.ok(isLand(latitude, longitude), name);
  }
  for (const [name, latitude, longitude] of [['Atlantic', 30, -45], ['Pacific', 0, -140], ['Indian Ocean', -20, 80], ['Fiji line', -17, -100]]) {
    assert.ok(!isLand(latitude, longitude), name);
  }
});

test('a map shows every place, whatever its size and wherever they are', () => {
  const next = random(7);
  for (let round = 0; round < 2000; ++round) {
    const width = 200 + next() * 1600;
    const height = 150 + next() * 800;
    const places = Array.from({ length: 1 + Math.floor(next() * 30) }, () => ({ latitude: -50 + next() * 120, longitude: -180 + next() * 360 }));
    const view = fit(places.map((place) => project(place.latitude, place.longitude, NORTH)), width, height, NORTH);
    for (const place of places) {
      const { x, y } = toPixels(view, place.latitude, place.longitude, NORTH);
      assert.ok(x >= -1 && x <= width + 1 && y >= -1 && y <= height + 1, `round ${round}: ${x} ${y} of ${width} ${height}`);
    }
  }
});

test('circles are moved apart, inside the frame, and no farther than they must', () => {
  const next = random(3);
  for (let round = 0; round < 300; ++round) {
    const circles = Array.from({ length: 2 + Math.floor(next() * 22) }, () => ({ x: 100 + next() * 800, y: 100 + next() * 300, r: 5 + next() * 14 }));
    const moved = spread(circles, { gap: 2, bounds: { width: 1000, height: 500 } });
    moved.forEach((a, i) => {
      assert.ok(a.x >= a.r && a.x <= 1000 - a.r && a.y >= a.r && a.y <= 500 - a.r, `round ${round}`);
      moved.slice(i + 1).forEach((b) => assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > a.r + b.r - 0.5, `round ${round}: overlap`));
    });
  }
  const apart = [{ x: 100, y: 100, r: 10 }, { x: 200, y: 100, r: 10 }];
  assert.deepEqual(spread(apart).map(({ x, y }) => [x, y]), [[100, 100], [200, 100]]);
  const [one, other] = spread([{ x: 50, y: 50, r: 10 }, { x: 50, y: 50, r: 10 }]);
  assert.ok(Math.hypot(one.x - other.x, one.y - other.y) >= 20, 'even from the very same place');
});

test('areas, not radii, are in proportion to capacity', () => {
  assert.deepEqual(radii([100, 25, 0], 4, 20), [20, 10, 4]);
  assert.deepEqual(radii([], 4, 20), []);
});

test('labels cover neither circles nor each other', () => {
  const next = random(11);
  const bounds = { width: 900, height: 420 };
  for (let round = 0; round < 300; ++round) {
    const items = Array.from({ length: 20 }, () => ({ x: next() * 900, y: next() * 420, r: 8, width: 30 + next() * 60 }));
    const boxes = placeLabels(items, { height: 14, bounds }).map((label, i) => {
      if (!label) return null;
      const left = { start: label.x, end: label.x - items[i].width, middle: label.x - items[i].width / 2 }[label.anchor];
      return { left, right: left + items[i].width, top: label.y - 7, bottom: label.y + 7 };
    });
    const meets = (a, b) => a && b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    boxes.forEach((box, i) => {
      boxes.slice(i + 1).forEach((other) => assert.ok(!meets(box, other), `round ${round}`));
      items.forEach((item, j) => assert.ok(i === j || !meets(box, { left: item.x - 8, right: item.x + 8, top: item.y - 8, bottom: item.y + 8 }), `round ${round}`));
    });
  }
});

test('there and back are two lines, and the date line is crossed the short way', () => {
  const paris = { x: 500, y: 150, r: 10 };
  const tokyo = { x: 900, y: 180, r: 10 };
  assert.notEqual(arc(paris, tokyo, 1000).slice(1), arc(tokyo, paris, 1000).slice(1));
  const oregon = { x: 150, y: 160, r: 10 };
  assert.equal(arc(tokyo, oregon, 1000).match(/M/g).length, 2);
  assert.equal(arc(paris, tokyo, 1000).match(/M/g).length, 1);
  assert.ok(!arc(paris, { ...paris }, 1000).includes('NaN'));
});

test('the figure of rings keeps order and puts what no ring holds on the rim', () => {
  const limits = [45, 110, 500];
  let before = 0;
  for (let rtt = 0; rtt <= 500; rtt += 5) {
    const radius = ringRadius(rtt, limits);
    assert.ok(radius >= before && radius < 1, `${rtt}`);
    before = radius;
  }
  assert.equal(ringRadius(501, limits), 1);
  assert.equal(ringRadius(3, []), 1);
  assert.ok(Math.abs(direction({ latitude: 0, longitude: 170 }, { latitude: 0, longitude: -170 })) < 1e-9, 'east over the date line');
  assert.ok(direction({ latitude: 0, longitude: 0 }, { latitude: 50, longitude: 0 }) < 0, 'north is up');
});

test('zooming keeps what is under the pointer, dragging carries it along, and out again is the whole', () => {
  const size = { width: 1000, height: 500 };
  const whole = { scale: 2.5, x: 20, y: 10 };
  const next = random(5);
  const pixel = (view, place) => toPixels(view, place.latitude, place.longitude, NORTH);
  for (let round = 0; round < 300; ++round) {
    const at = { x: 250 + next() * 500, y: 100 + next() * 250 };
    const place = { latitude: unprojectLatitude(projectLatitude(NORTH) - (whole.y + at.y / whole.scale)), longitude: whole.x + at.x / whole.scale - 180 };
    let zoom = change(whole, null, size, NORTH, { factor: 1.2 + next() * 8, at });
    let now = pixel(viewOf(whole, zoom, size, NORTH), place);
    assert.ok(Math.hypot(now.x - at.x, now.y - at.y) < 0.5, `round ${round}: ${now.x} ${now.y}`);
    zoom = change(whole, zoom, size, NORTH, { dx: 30, dy: -12 });
    now = pixel(viewOf(whole, zoom, size, NORTH), place);
    assert.ok(Math.hypot(now.x - at.x - 30, now.y - at.y + 12) < 0.5, `round ${round}`);
    assert.equal(change(whole, zoom, size, NORTH, { factor: 1e-3 }), null);
    assert.equal(change(whole, zoom, size, NORTH, { factor: 1e3 }).by, ZOOM_MAX);
    const again = zoomFrom(textOf(zoom));
    assert.ok(Math.abs(again.by - zoom.by) < 0.01 && Math.abs(again.longitude - zoom.longitude) < 0.01);
  }
  for (const odd of ['', undefined, '0.5,1,1', '4,100,0', '4,1', 'x,y,z', '4,1,1,1', '99,0,0']) assert.equal(zoomFrom(odd), null, `${odd}`);
  assert.equal(textOf(null), '');
});

test('the label of what is selected is always there, and no other covers it', () => {
  const bounds = { width: 300, height: 200 };
  const crowd = Array.from({ length: 40 }, (_, i) => ({ x: 110 + (i % 8) * 12, y: 70 + Math.floor(i / 8) * 12, r: 6, width: 50 }));
  assert.equal(placeLabels([{ ...crowd[20], must: true }, ...crowd], { height: 14, bounds })[0]?.anchor, 'start');
  assert.equal(placeLabels([crowd[20], ...crowd], { height: 14, bounds })[0], null);
});
