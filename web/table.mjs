// The routing table in force: every row that leaves home, with ring and reason.
import { byId, h, keyed, setText } from './dom.mjs';
import { rowBar, rowWords } from './bars.mjs';
import { clock } from './format.mjs';

export function renderTable(store) {
  const { table, rows, fleet } = store;
  setText(byId('table-version'), table?.version ? `${table.epoch}.${table.version}, planned ${clock(table.planned_ms)}` : 'none yet');
  const empty = byId('table-empty');
  empty.hidden = rows.length > 0;
  setText(empty, !fleet || fleet.settling ? 'No table yet: the regions are still being heard of.' : 'Every request is served where it enters.');
  byId('table-frame').hidden = rows.length === 0;
  const keyOf = (row) => `${row.source}/${row.priority}`;
  keyed(byId('table-rows'), rows, keyOf, (row) => h('tr', { 'data-row': keyOf(row) }, h('th', { scope: 'row' }), h('td', { class: 'priority' }), h('td', { class: 'bar-cell' }), h('td', {})),
    (node, row) => updateRow(node, row, store));
}

function updateRow(node, row, store) {
  const print = JSON.stringify([row, store.tierSettings?.name]);
  if (node.print === print) return;
  node.print = print;
  const [source, priority, bar, words] = node.children;
  setText(source, store.title(row.source));
  setText(priority, (store.tierSettings?.priorities.length ?? 1) > 1 ? row.priority : '');
  bar.replaceChildren(rowBar(row));
  words.replaceChildren(h('ul', { class: 'row-words' }, rowWords(row, store)));
}
