// A group with many parts as one stop of the tab order: arrow keys move within it (ARIA practices, roving tabindex).
export function rove(group) {
  // Chromium takes a part of a drawing that listens to focus for a stop of its own.
  group.setAttribute('tabindex', '-1');
  group.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const parts = [...group.children];
    const at = parts.indexOf(document.activeElement);
    if (at < 0 || (!step && event.key !== 'Home' && event.key !== 'End')) return;
    event.preventDefault();
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? parts.length - 1 : (at + step + parts.length) % parts.length;
    choose(group, parts[next]);
    parts[next].focus();
  });
  group.addEventListener('focusin', (event) => {
    const part = [...group.children].find((child) => child.contains(event.target));
    if (part) choose(group, part);
  });
}

function choose(group, part) {
  for (const child of group.children) child.setAttribute('tabindex', child === part ? '0' : '-1');
}

// After parts have come or gone: exactly one of them can be reached.
rove.refresh = (group) => {
  const parts = [...group.children];
  if (parts.length && !parts.some((part) => part.getAttribute('tabindex') === '0')) choose(group, parts[0]);
};
