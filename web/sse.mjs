// Reads a stream of server-sent events (WHATWG HTML, 9.2.6) from pieces of text. Pure.
//
// EventSource cannot send an Authorization field, so the page reads the stream itself. A frame that is not complete
// stays in the buffer until its end comes.
export class EventReader {
  #rest = '';

  // The events that have become whole: [{event, data}].
  push(text) {
    this.#rest += text;
    const events = [];
    for (;;) {
      const end = this.#rest.search(/\r?\n\r?\n/);
      if (end < 0) return events;
      const frame = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end).replace(/^\r?\n\r?\n/, '');
      const event = parse(frame);
      if (event) events.push(event);
    }
  }
}

function parse(frame) {
  let event = 'message';
  const data = [];
  for (const line of frame.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon === 0) continue; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
  return data.length ? { event, data: data.join('\n') } : null;
}
