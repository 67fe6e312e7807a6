#!/usr/bin/env node
// Writes web/land.mjs: the dots of land that the dashboard's map is drawn with.
//
//   npm pack world-atlas@2 && tar xzf world-atlas-2*.tgz
//   node tools/map/land.mjs package/land-110m.json > web/land.mjs
//
// Source: Natural Earth, 1:110m land, which is in the public domain ("no permission is needed to use Natural Earth");
// the npm package world-atlas only repackages it as TopoJSON. Nothing of the file itself is kept: the outline is
// sampled at the centres of a coarse grid in the map's projection, one bit a dot.
import { readFileSync } from 'node:fs';
import { projectLatitude, unprojectLatitude } from '../../web/projection.mjs';

const COLUMNS = 168;
const NORTH = 78;
const SOUTH = -56;

const topology = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { scale, translate } = topology.transform;

const arcs = topology.arcs.map((arc) => {
  let x = 0;
  let y = 0;
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
});

function ringOf(indexes) {
  const points = [];
  for (const index of indexes) {
    const arc = index < 0 ? [...arcs[~index]].reverse() : arcs[index];
    points.push(...arc.slice(points.length ? 1 : 0));
  }
  // An outline that crosses the date line jumps there; continued beyond it, it is whole.
  for (let i = 1; i < points.length; ++i) {
    const [x, y] = points[i];
    points[i] = [x + 360 * Math.round((points[i - 1][0] - x) / 360), y];
  }
  return points;
}

const rings = topology.objects.land.geometries
  .flatMap((geometry) => (geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs))
  .flat()
  .map(ringOf);

const isLand = (longitude, latitude) => [-360, 0, 360].some((turn) => isInside(longitude + turn, latitude));

// Even-odd rule over all rings at once: holes are rings too.
function isInside(longitude, latitude) {
  let inside = false;
  for (const ring of rings) {
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [xi, yi] = ring[i];
      const [xj, yj] = ring[j];
      if (yi > latitude !== yj > latitude && longitude < ((xj - xi) * (latitude - yi)) / (yj - yi) + xi) inside = !inside;
    }
  }
  return inside;
}

const step = 360 / COLUMNS;
const top = projectLatitude(NORTH);
const rows = Math.round((top - projectLatitude(SOUTH)) / step);
const lines = [];
for (let row = 0; row < rows; ++row) {
  const latitude = unprojectLatitude(top - (row + 0.5) * step);
  let bits = '';
  for (let column = 0; column < COLUMNS; ++column) bits += isLand(-180 + (column + 0.5) * step, latitude) ? '1' : '0';
  let hex = '';
  for (let i = 0; i < COLUMNS; i += 4) hex += parseInt(bits.slice(i, i + 4), 2).toString(16);
  lines.push(`  '${hex}',`);
}

process.stdout.write(`// Where there is land: one bit a dot of the map, written by tools/map/land.mjs from the outlines of Natural Earth
// (1:110m, public domain). A line is a row of ${COLUMNS} dots from west to east, the first in the north; four dots a digit.
export const COLUMNS = ${COLUMNS};
export const NORTH = ${NORTH};
export const ROWS = [
${lines.join('\n')}
];
`);
