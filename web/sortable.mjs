// Tables whose columns sort: which order, and the heads that change it. The order is text, as it stands in the address:
// "busy" rises, "-busy" falls.
import { h, keyed, setAttributes, setText } from './dom.mjs';

// columns: [{key, title, value(row), cell(row), number?}]; what is not a column's name: the first column, rising.
export function orderFrom(text, columns) {
  const falls = (text ?? '').startsWith('-');
  const key = falls ? text.slice(1) : text;
  return columns.some((column) => column.key === key) ? { key, falls } : { key: columns[0].key, falls: false };
}

// What a click on a column's head makes of the order: numbers begin with the largest, words with the first.
export function nextOrder(text, column, columns) {
  const { key, falls } = orderFrom(text, columns);
  if (key !== column.key) return column.number ? `-${column.key}` : column.key;
  return falls ? column.key : `-${column.key}`;
}

const compare = (a, b) => {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1; // what is not known comes last
  if (b === null || b === undefined) return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
};

export function sorted(rows, text, columns) {
  const { key, falls } = orderFrom(text, columns);
  const { value } = columns.find((column) => column.key === key);
  return [...rows].sort((a, b) => (falls ? -1 : 1) * compare(value(a), value(b)));
}

// Draws the whole table; keyOf(row) names it. choose(text) is called with the order that somebody wants.
export function renderSorted(table, { columns, rows, keyOf, order, choose }) {
  if (table.columnsOf !== columns) {
    table.columnsOf = columns;
    const body = h('tbody');
    table.replaceChildren(h('thead', {}, h('tr', {}, columns.map((column) =>
      h('th', { scope: 'col', class: column.number ? 'number' : null }, h('button', { type: 'button', class: 'link sort', 'data-column': column.key,
        onclick: () => table.choose(column) }, column.title))))), body);
  }
  table.choose = (column) => choose(nextOrder(order, column, columns));
  const { key, falls } = orderFrom(order, columns);
  [...table.tHead.rows[0].cells].forEach((cell, i) =>
    setAttributes(cell, { 'aria-sort': columns[i].key === key ? (falls ? 'descending' : 'ascending') : null }));
  keyed(table.tBodies[0], sorted(rows, order, columns), keyOf,
    () => h('tr', {}, columns.map((column, i) => h(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: column.number ? 'number' : null }))),
    (tr, row) => columns.forEach((column, i) => setText(tr.cells[i], column.cell(row))));
}
