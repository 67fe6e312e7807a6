// From the globe to the map: the Patterson cylindrical projection, in degrees of longitude as the unit.
//
// x is the longitude; y grows towards the north and is about as long as a degree of longitude at mid-latitudes, so that
// continents look familiar. Polynomial: T. Patterson, B. Savric, B. Jenny, "Introducing the Patterson Cylindrical
// Projection", Cartographic Perspectives 78 (2014).
const C = [1.0148, 0.23185, -0.14499, 0.02406];
const RADIANS = Math.PI / 180;
const LATITUDE_MAX = 89;

export function projectLatitude(latitude) {
  const phi = Math.max(-LATITUDE_MAX, Math.min(LATITUDE_MAX, latitude)) * RADIANS;
  const p2 = phi * phi;
  return (phi * (C[0] + p2 * p2 * (C[1] + p2 * (C[2] + p2 * C[3])))) / RADIANS;
}

// The inverse, by bisection: the function rises everywhere between the poles.
export function unprojectLatitude(y) {
  let low = -LATITUDE_MAX;
  let high = LATITUDE_MAX;
  for (let i = 0; i < 50; ++i) {
    const middle = (low + high) / 2;
    if (projectLatitude(middle) < y) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// In the coordinates of the drawing: x to the east from 180 W, y to the south from `north`.
export function project(latitude, longitude, north) {
  const wrapped = ((((longitude + 180) % 360) + 360) % 360);
  return { x: wrapped, y: projectLatitude(north) - projectLatitude(latitude) };
}
