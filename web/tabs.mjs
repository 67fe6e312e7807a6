// Tabs as screen readers and keyboards know them (ARIA practices): one stop of the tab order, arrow keys choose.
import { setAttributes } from './dom.mjs';

// root: the tablist; its buttons have data-tab. choose(name) is called with what somebody chose.
export function listenToTabs(root, choose) {
  root.addEventListener('click', (event) => {
    const tab = event.target.closest('[data-tab]');
    if (tab) choose(tab.dataset.tab);
  });
  root.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const tabs = [...root.querySelectorAll('[data-tab]')];
    const at = tabs.indexOf(document.activeElement);
    if (at < 0 || (!step && event.key !== 'Home' && event.key !== 'End')) return;
    event.preventDefault();
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : (at + step + tabs.length) % tabs.length;
    tabs[next].focus();
    choose(tabs[next].dataset.tab);
  });
}

export function showTab(root, name) {
  for (const tab of root.querySelectorAll('[data-tab]')) {
    const chosen = tab.dataset.tab === name;
    setAttributes(tab, { 'aria-selected': String(chosen), tabindex: chosen ? 0 : -1 });
  }
}
