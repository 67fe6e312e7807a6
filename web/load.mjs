// A load as one of six levels, each with a colour of its own in style.css. Pure.
//
// Levels are relative to the tier's threshold, because that is what a load means here: below it a region keeps its
// traffic, above it sends some away. Blue to orange stays distinct for every common colour blindness, and lightness alone tells
// the levels apart too.
export const LEVELS = ['idle', 'calm', 'busy', 'near the threshold', 'hot', 'full'];

export function levelOf(load, threshold) {
  if (!(load > 0.02)) return 0;
  if (load >= 1) return 5;
  if (load > threshold) return 4;
  if (load > 0.85 * threshold) return 3;
  return load > 0.5 * threshold ? 2 : 1;
}

export function levelText(load, threshold) {
  return LEVELS[levelOf(load, threshold)];
}
