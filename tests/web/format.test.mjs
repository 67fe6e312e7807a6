// Numbers as a person reads them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { brief, DASH, load, localClock, milliseconds, nines, percent, plural, rate, reason, ringName, seconds, span, withTitles } from '../../web/format.mjs';

const table = (name, fn, rows) => test(name, () => rows.forEach(([value, text]) => assert.equal(fn(value), text, `${value}`)));

table('shares', percent, [[0, '0 %'], [1, '100 %'], [0.123, '12 %'], [0.0021, '0.2 %'], [0.0094, '0.9 %'], [0.0099, '1 %'], [NaN, DASH]]);
table('rates', rate, [[0, '0.0/s'], [3.24, '3.2/s'], [99.94, '99.9/s'], [123.4, '123/s'], [1234, '1.2k/s'], [123456, '123k/s'], [Infinity, DASH]]);
table('loads', load, [[0.754, '0.75'], [1.2, '1.20'], [undefined, DASH]]);
table('round trips', milliseconds, [[0.5, '0.5 ms'], [11.5, '12 ms'], [NaN, DASH]]);
table('spans', span, [[5, '5 s'], [89, '89 s'], [120, '2 min'], [7200, '2 h'], [400000, '5 days']]);
table('reasons', reason, [['overload', 'the source is above its threshold'], ['no-workers', 'the source has no workers'], ['no_workers', 'the source has no workers'], ['new one', 'new one']]);

table('times of jobs', seconds, [[0, '0 ms'], [0.0123, '12 ms'], [0.0994, '99 ms'], [0.0997, '0.10 s'], [1.234, '1.23 s'], [12.34, '12.3 s'], [null, DASH], [NaN, DASH]]);
table('shares that are best at 1', nines, [[1, '100 %'], [0.99999, '99.99 %'], [0.987, '98.70 %'], [0, '0.00 %'], [null, DASH]]);

test('regions are called as on the map, whole names only', () => {
  const regions = [{ name: 'us-east-1', title: 'N. Virginia' }, { name: 'us-east-2', title: 'Ohio' }, { name: 'east', title: 'East (a)' }, { name: 'plain', title: 'plain' }];
  assert.equal(withTitles('us-east-2 sends 3 jobs to us-east-1, plain', regions), 'Ohio sends 3 jobs to N. Virginia, plain');
  assert.equal(withTitles('us-east-21, us-east-2/gpu0 and east', regions), 'us-east-21, us-east-2/gpu0 and East (a)');
  assert.equal(withTitles('us-east-2', undefined), 'us-east-2');
});

test('one row, two rows', () => {
  assert.equal(plural(1, 'row'), '1 row');
  assert.equal(plural(2, 'row'), '2 rows');
});

test('the clock of a place', () => {
  assert.equal(localClock(Date.UTC(2026, 0, 1, 23, 30), 330), '05:00');
  assert.equal(localClock(Date.UTC(2026, 0, 1, 2, 5), -300), '21:05');
});

test('a long sentence is cut where it pauses, and nothing of it is lost', () => {
  assert.deepEqual(brief('short'), { head: 'short', rest: '' });
  const long = `${'word '.repeat(20)}end; ${'more '.repeat(20)}`.trim();
  const { head, rest } = brief(long);
  assert.ok(head.endsWith('end;') && head.length <= 130, head);
  assert.equal(`${head} ${rest}`, long);
  assert.deepEqual(Object.values(brief('x'.repeat(200))).map((part) => part.length), [130, 70]);
});

test('a ring has its name, and its number only while the topology is not here', () => {
  assert.equal(ringName([{ name: 'near' }, { name: 'continent' }], 1), 'continent');
  assert.equal(ringName([], 1), '2');
});
