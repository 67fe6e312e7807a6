// What is looked at, in the address behind #: tier, region and its part, order of its tables, kinds of events, a request,
// the part of the map, a moment of the hour, the plan of what if, two tables that are compared.
// So a view can be sent to somebody, kept as a bookmark, and is there again after a reload; what somebody chose is a step
// of its own for back and forward.
//
// Behind # it never reaches the server, and changes nothing for it. What is not known is left out; the rest of an address
// that somebody mistyped still counts. Reading and writing text is pure; bind() ties it to the page.
const KEYS = ['tier', 'region', 'part', 'sort', 'events', 'request', 'map', 'at', 'threshold', 'drain', 'scale', 'tables'];
const STEPS = ['tier', 'region', 'part', 'request', 'threshold', 'drain', 'scale', 'tables'];

export function readAddress(hash) {
  const asked = new URLSearchParams(hash.replace(/^#/, ''));
  return Object.fromEntries(KEYS.map((key) => [key, asked.get(key) ?? '']).filter(([, value]) => value !== ''));
}

export function writeAddress(view) {
  const told = new URLSearchParams();
  for (const key of KEYS) if (view[key]) told.set(key, view[key]);
  const text = told.toString();
  return text ? `#${text}` : '';
}

// Whether going from one to the other is a step that back undoes.
export const isStep = (before, after) => STEPS.some((key) => (before[key] ?? '') !== (after[key] ?? ''));

// apply(view) is called now and when somebody changes the address; the returned function writes what is looked at.
export function bind(apply) {
  let written = location.hash;
  addEventListener('hashchange', () => {
    if (location.hash === written) return;
    written = location.hash;
    apply(readAddress(written));
  });
  apply(readAddress(written));
  return (view) => {
    // Somebody has just changed it, and hashchange is still to come: that counts, not what is shown until then.
    if (location.hash !== written) return;
    const hash = writeAddress(view);
    if (hash === written) return;
    const change = isStep(readAddress(written), view) ? 'pushState' : 'replaceState';
    history[change](null, '', hash || location.pathname + location.search);
    written = location.hash;
  };
}
