// Making and changing elements, with nothing in between: text is always text, never markup.
const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const byId = (id) => document.getElementById(id);

// Writes only what differs, so that a frame a second does not disturb selections, focus or screen readers.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) {
      if (node.hasAttribute(name)) node.removeAttribute(name);
    } else {
      const text = value === true ? '' : String(value);
      if (node.getAttribute(name) !== text) node.setAttribute(name, text);
    }
  }
}

// Brings the children of `parent` in line with `items`: one node a key, made once, updated each time, in order.
export function keyed(parent, items, keyOf, make, update) {
  const known = (parent.keyedNodes ??= new Map());
  const wanted = new Set(items.map(keyOf));
  for (const [key, node] of known) {
    if (wanted.has(key)) continue;
    node.remove();
    known.delete(key);
  }
  let before = parent.firstChild;
  for (const item of items) {
    const key = keyOf(item);
    let node = known.get(key);
    if (!node) known.set(key, (node = make(item)));
    update?.(node, item);
    // A node that has the focus stays where it is: moving it would take the focus away.
    if (node !== before && node.parentNode === parent && node.contains(document.activeElement)) continue;
    if (node !== before) parent.insertBefore(node, before);
    else before = before.nextSibling;
  }
}

// Says something to screen readers, without showing it.
export function announce(text) {
  setText(byId('announce'), text);
}
