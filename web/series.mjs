// The timeline's numbers as shapes: which part of the hour to show, areas, ticks, sums for the table. Pure.
const SPAN_STEPS_MIN = 36; // three minutes: less would look like an hour of nothing

// The steps to show: all that are there, on an axis that is at least three minutes long.
export function axis(timeline, width) {
  const steps = timeline.demand.length;
  const shown = Math.max(SPAN_STEPS_MIN, steps);
  const perStep = width / shown;
  const endMs = timeline.start_ms + steps * timeline.step_ms;
  return {
    x: (index) => (shown - steps + index) * perStep,
    xOfTime: (ms) => width - ((endMs - ms) / timeline.step_ms) * perStep,
    indexAt: (x) => Math.floor(x / perStep) - (shown - steps),
    perStep,
    endMs,
    spanMs: shown * timeline.step_ms,
  };
}

// Round times for the axis, about `count` of them: [{ms, minutesAgo}].
export function ticks(spanMs, endMs, count = 6) {
  const minutes = [0.5, 1, 2, 5, 10, 15, 20, 30].find((step) => spanMs / (step * 60000) <= count) ?? 30;
  const step = minutes * 60000;
  const result = [];
  for (let ms = Math.floor(endMs / step) * step; ms > endMs - spanMs; ms -= step) result.push(ms);
  return result.reverse();
}

// Home, away, shed, one upon the other: for each step the three upper edges, or null for a gap.
export function stack(timeline) {
  return timeline.demand.map((demand, i) => {
    if (demand === null) return null;
    const shed = timeline.shed[i];
    const home = Math.max(0, demand - timeline.away[i] - shed);
    return [home, home + timeline.away[i], home + timeline.away[i] + shed];
  });
}

// A number above all values at which an axis may end: 1, 2 or 5 times a power of ten.
export function niceMax(values) {
  const most = Math.max(0.5, ...values.filter((value) => value !== null));
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= most);
}

// For the table beside the picture: [{name, min, mean, max, last}] of each region's load.
export function summaries(timeline) {
  return timeline.regions.map(({ name, load }) => {
    const known = load.filter((value) => value !== null);
    const sum = known.reduce((total, value) => total + value, 0);
    return { name, min: Math.min(...known), mean: sum / known.length, max: Math.max(...known), last: known.at(-1) };
  }).filter((row) => Number.isFinite(row.mean));
}
