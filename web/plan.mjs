// What a plan is asked with: a threshold, regions that are drained in part or whole, regions whose demand is scaled. Pure.
//
// In the address: threshold=0.65, drain=eu-west-1:0.5,us-east-1 and scale=us-west-2:2; a drain without a share is whole.
import { load, percent } from './format.mjs';

export const FACTOR_MAX = 100;

// "a:0.5,b" -> Map; what is not a sound number, or out of range, is left out.
export function pairsFrom(text, { otherwise = null, max }) {
  const pairs = new Map();
  for (const part of (text ?? '').split(',')) {
    const [name, given] = part.split(':');
    const value = given === undefined ? otherwise : Number(given);
    if (name && value !== null && Number.isFinite(value) && value >= 0 && value <= max) pairs.set(name, value);
  }
  return pairs;
}

export const textOfPairs = (pairs, otherwise = null) =>
  [...pairs].map(([name, value]) => (value === otherwise ? name : `${name}:${Number(value.toFixed(3))}`)).join();

export function planFrom(view) {
  const threshold = Number(view.threshold);
  return {
    threshold: threshold > 0 && threshold <= 1 ? threshold : null,
    drain: pairsFrom(view.drain, { otherwise: 1, max: 1 }), scale: pairsFrom(view.scale, { max: FACTOR_MAX }),
  };
}

export function textOfPlan(plan) {
  if (!plan) return { threshold: '', drain: '', scale: '' };
  return { threshold: plan.threshold === null ? '' : String(plan.threshold), drain: textOfPairs(plan.drain, 1), scale: textOfPairs(plan.scale) };
}

export const isEmpty = (plan) => plan.threshold === null && plan.drain.size === 0 && plan.scale.size === 0;

// The body of the dry run.
export function bodyOf(tier, plan) {
  const body = { tier };
  if (plan.threshold !== null) body.overload_threshold = plan.threshold;
  if (plan.drain.size) body.drain_share = Object.fromEntries(plan.drain);
  if (plan.scale.size) body.demand_scale = Object.fromEntries(plan.scale);
  return body;
}

// "threshold 0.80 → 0.65, Paris drained, Tokyo × 2"
export function describe(plan, before, title) {
  const parts = [];
  if (plan.threshold !== null) parts.push(`threshold ${load(before)} → ${load(plan.threshold)}`);
  for (const [name, share] of plan.drain) parts.push(share >= 1 ? `${title(name)} drained` : `${percent(share)} of ${title(name)} drained`);
  for (const [name, factor] of plan.scale) parts.push(`demand of ${title(name)} × ${Number(factor.toFixed(3))}`);
  return parts.join(', ') || 'nothing is changed';
}
