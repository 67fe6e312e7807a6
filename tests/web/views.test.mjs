// What the page makes of the controller's documents, before anything is drawn.
import assert from 'node:assert/strict';
import test from 'node:test';
import { flowsOf, segmentsOf, shareOf } from '../../web/flows.mjs';
import { LEVELS, levelOf, levelText } from '../../web/load.mjs';
import { axis, niceMax, stack, summaries, ticks } from '../../web/series.mjs';
import { isStep, readAddress, writeAddress } from '../../web/address.mjs';
import { GROUPS, groupOf, groupsFrom, textOf } from '../../web/kinds.mjs';
import { endText, orderText, tablesFrom } from '../../web/past.mjs';
import { bodyOf, describe, isEmpty, planFrom, textOfPlan } from '../../web/plan.mjs';
import { stepText, summary } from '../../web/request.mjs';
import { countsText, tableText } from '../../web/members.mjs';
import { nextOrder, orderFrom, sorted } from '../../web/sortable.mjs';
import { EventReader } from '../../web/sse.mjs';
import { fare, worst } from '../../web/sums.mjs';

test('a load is a level relative to the threshold', () => {
  const levels = [[0, 0], [0.02, 0], [0.1, 1], [0.41, 2], [0.7, 3], [0.8, 3], [0.801, 4], [0.999, 4], [1, 5], [3, 5], [NaN, 0]];
  for (const [load, level] of levels) assert.equal(levelOf(load, 0.8), level, `${load}`);
  assert.equal(levelText(0.85, 0.9), LEVELS[3]);
});

test('flows are what was sent and what the table orders, either alone too', () => {
  const regions = [{ name: 'a', sent: { a: 6, b: 3, c: 1, d: 0.001 } }, { name: 'b', sent: {} }];
  const rows = [
    { source: 'a', priority: 'p0', shed: 0, routes: [{ target: 'a', share: 0.7, reason: 'home' }, { target: 'b', share: 0.3, reason: 'overload', ring: 0 }] },
    { source: 'a', priority: 'p1', shed: 0, routes: [{ target: 'b', share: 1, reason: 'drain', ring: 0 }] },
    { source: 'b', priority: 'p0', shed: 0, routes: [{ target: 'c', share: 0.0001, reason: 'overload' }, { target: 'd', share: 0.5, reason: 'overload' }] },
  ];
  const flows = flowsOf(regions, rows);
  assert.deepEqual(flows.map((flow) => [flow.key, flow.rps, flow.orders.length]), [['a>b', 3, 2], ['a>c', 1, 0], ['b>d', 0, 1]]);
  assert.ok(Math.abs(shareOf(flows[0], regions) - 3 / 10.001) < 1e-9);
  assert.equal(shareOf(flows[2], regions), 0);
});

test('a row is a bar of home, others and what is shed', () => {
  const row = { source: 'a', shed: 0.1, routes: [{ target: 'a', share: 0.6 }, { target: 'b', share: 0.3 }, { target: 'c', share: 0.0001 }] };
  assert.deepEqual(segmentsOf(row).map((segment) => [segment.kind, segment.share]), [['home', 0.6], ['away', 0.3], ['shed', 0.1]]);
});

test('a timeline stacks up, keeps its gaps and ends where it should', () => {
  const timeline = { start_ms: 0, step_ms: 5000, demand: [10, null, 20], away: [2, null, 5], shed: [1, null, 0], regions: [{ name: 'a', load: [0.2, null, 0.6] }, { name: 'b', load: [null, null, null] }] };
  assert.deepEqual(stack(timeline), [[7, 9, 10], null, [15, 20, 20]]);
  assert.deepEqual(summaries(timeline), [{ name: 'a', min: 0.2, mean: 0.4, max: 0.6, last: 0.6 }]);
  const ax = axis(timeline, 360);
  assert.equal(ax.spanMs, 180000, 'never less than three minutes');
  assert.equal(ax.x(3), 360);
  assert.equal(ax.xOfTime(15000), 360);
  for (const index of [0, 1, 2]) assert.equal(ax.indexAt(ax.x(index) + 1), index);
});

test('axes end at round numbers', () => {
  for (const [values, most] of [[[0], 0.5], [[0.9], 1], [[1.2], 2], [[22, null], 25], [[26], 50], [[99], 100], [[101], 200]]) assert.equal(niceMax(values), most, `${values}`);
  for (const span of [180000, 600000, 3600000]) {
    const marks = ticks(span, 1e9 + 12345, 6);
    assert.ok(marks.length >= 2 && marks.length <= 7, `${span}: ${marks.length}`);
    assert.ok(marks.every((ms) => ms % 30000 === 0 && ms <= 1e9 + 12345 && ms > 1e9 + 12345 - span));
  }
});

test('events come whole, however the stream is cut', () => {
  const stream = 'retry: 1000\n\n: hello\n\nevent: fleet\ndata: {"a":1}\n\nevent: fleet\r\ndata: two\r\ndata: lines\r\n\r\ndata:bare\n\n';
  const whole = [{ event: 'fleet', data: '{"a":1}' }, { event: 'fleet', data: 'two\nlines' }, { event: 'message', data: 'bare' }];
  for (let size = 1; size <= stream.length; ++size) {
    const reader = new EventReader();
    const events = [];
    for (let at = 0; at < stream.length; at += size) events.push(...reader.push(stream.slice(at, at + size)));
    assert.deepEqual(events, whole, `in pieces of ${size}`);
  }
});

test('what is looked at comes back from the address, and what is unknown is left out', () => {
  const view = { tier: 'animate', region: 'us-east-1', events: 'orders,spill', request: 'a b&c=#1' };
  assert.deepEqual(readAddress(writeAddress(view)), view);
  assert.equal(writeAddress({ tier: '', region: '' }), '');
  assert.deepEqual(readAddress('#region=x&colour=red&tier='), { region: 'x' });
  assert.deepEqual(readAddress(''), {});
});

test('spill is left out until it is asked for, and every kind is in a group', () => {
  assert.equal(groupsFrom('').has('spill'), false);
  assert.equal(groupsFrom('').has('orders'), true);
  assert.deepEqual([...groupsFrom('spill,nonsense')], ['spill']);
  assert.equal(groupsFrom('none').size, 0);
  for (const text of ['', 'none', 'spill', 'orders,load']) assert.equal(textOf(groupsFrom(text)), text);
  for (const kind of ['drain', 'hot', 'spill', 'leader', 'something new']) assert.ok(GROUPS.some((group) => group.name === groupOf(kind)), kind);
});

test('a trace is told in words', () => {
  assert.equal(stepText({ what: 'offered', whom: 'w1', detail: 'home' }), 'offered to w1 (home)');
  assert.equal(stepText({ what: 'answered', whom: 'w1', detail: 'busy' }), 'answered by w1: busy');
  assert.equal(summary({ asked: 3, answered: 3, traces: [{}] }), '1 of 3 routers remembers it.');
  assert.equal(summary({ asked: 3, answered: 2, traces: [{}, {}] }), '2 of 2 routers remember it; 1 did not answer.');
});

test('where no job has ended nothing is claimed, and nothing is an alarm', () => {
  for (const outcomes of [undefined, { done: 0, failed: 0, late: 0, success: null, wait_s: null, service_s: null, offers: null }]) {
    const { success, wait, latency, offers } = fare(outcomes);
    for (const value of [success, wait, latency, offers]) assert.ok(Number.isNaN(value));
    assert.equal(success < 0.99, false);
  }
  const told = fare({ failed: 0.5, late: 0.25, success: 0.9, wait_s: 0.1, service_s: 0.4, offers: 0.9 });
  assert.deepEqual(told, { success: 0.9, wait: 0.1, latency: 0.5, lost: 0.75, offers: 1 });
});

test('a table sorts by any column, both ways, and what is not known comes last', () => {
  const columns = [{ key: 'name', value: (row) => row.name }, { key: 'busy', number: true, value: (row) => row.busy }];
  const rows = [{ name: 'w10', busy: 0.5 }, { name: 'w9', busy: null }, { name: 'w1', busy: 0.9 }];
  const names = (order) => sorted(rows, order, columns).map((row) => row.name);
  assert.deepEqual(names(''), ['w1', 'w9', 'w10'], 'numbers inside names count as numbers');
  assert.deepEqual(names('busy').slice(0, 2), ['w10', 'w1']);
  assert.deepEqual(names('-name'), ['w10', 'w9', 'w1']);
  assert.deepEqual(orderFrom('colour', columns), { key: 'name', falls: false });
  assert.equal(nextOrder('name', columns[1], columns), '-busy', 'the busiest first');
  assert.equal(nextOrder('-busy', columns[1], columns), 'busy');
  assert.equal(nextOrder('', columns[0], columns), '-name');
});

test('what is chosen is a step for back and forward, what is arranged is not', () => {
  assert.equal(isStep({}, { region: 'a' }), true);
  assert.equal(isStep({ region: 'a' }, { region: 'a', part: 'workers' }), true);
  assert.equal(isStep({ region: 'a', part: '' }, { region: 'a', sort: '-busy', events: 'spill' }), false);
});

test('a figure leads to where most is amiss', () => {
  const regions = [{ name: 'a', workers: 4, seen: 4, load: 0.9 }, { name: 'b', workers: 4, seen: 1, load: 0.1 }];
  assert.equal(worst(regions, [], (region) => region.workers - region.seen), 'b');
  assert.equal(worst(regions, [[2, 1], [2, 2]], (region, [connected, current]) => connected - current), 'a');
  assert.equal(worst(regions, [], () => 0), 'a', 'else to the highest load');
  assert.equal(worst([], [], () => 0), '');
});

test('lists say how many there are and who is late', () => {
  assert.equal(countsText(3, 'worker', { busy: 1, idle: 2 }), '3 workers: 1 busy, 2 idle');
  assert.equal(countsText(0, 'router', {}), 'no router has been heard of');
  assert.equal(tableText({ table: '1.4', late: false, late_since_ms: null }), '1.4');
  assert.match(tableText({ table: '1.4', late: true, late_since_ms: 0 }), /^1\.4, late since \d\d:\d\d:\d\d$/);
  assert.equal(tableText({ table: '', late: true, late_since_ms: null }), 'none, late');
});

test('a plan stands in the address, and what is not sound in it is left out', () => {
  const view = { threshold: '0.65', drain: 'paris,oslo:0.5', scale: 'tokyo:2.5' };
  const plan = planFrom(view);
  assert.deepEqual(textOfPlan(plan), view);
  assert.deepEqual(bodyOf('t', plan), { tier: 't', overload_threshold: 0.65, drain_share: { paris: 1, oslo: 0.5 }, demand_scale: { tokyo: 2.5 } });
  assert.equal(describe(plan, 0.8, (name) => name), 'threshold 0.80 → 0.65, paris drained, 50 % of oslo drained, demand of tokyo × 2.5');
  for (const odd of [{}, { threshold: '7' }, { drain: 'a:2' }, { scale: 'a' }, { scale: 'a:-1' }, { scale: ':2' }]) assert.equal(isEmpty(planFrom(odd)), true, JSON.stringify(odd));
  assert.deepEqual(bodyOf('t', planFrom({})), { tier: 't' });
});

test('an order says what counts, until when, and what counts then', () => {
  const title = (name) => name.toUpperCase();
  assert.equal(orderText({ kind: 'drain', region: 'a', value: 0.5 }, title), 'A is drained by 50 %');
  assert.equal(orderText({ kind: 'threshold', region: '', value: 0.6 }, title), 'The tier has the threshold 0.60');
  assert.equal(orderText({ kind: 'mode', region: '', value: 'frozen' }, title), 'The tier is in mode frozen');
  assert.equal(endText({ kind: 'drain', region: 'a', value: 1 }, title, 0), 'until it is changed');
  assert.match(endText({ kind: 'drain', region: 'a', value: 1, then: 0, until_ms: 600000, who: 'ann' }, title, 0), /^until \d\d:\d\d, 10 min from now, by ann; then a serves fully$/);
});

test('two tables are named in the address', () => {
  assert.deepEqual(tablesFrom('1.3..2.9'), { before: '1.3', after: '2.9' });
  assert.deepEqual(tablesFrom('1.3..'), { before: '1.3', after: '' });
  for (const odd of ['', undefined, '1.3', '1..', 'a..b']) assert.equal(tablesFrom(odd), null, `${odd}`);
});
