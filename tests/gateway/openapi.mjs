// Holds the OpenAPI document that a router serves against what the router does: each operation is called, and its answer
// must have a status, a type and a shape that the document promises.
import assert from 'node:assert/strict';

const base = process.argv[2];
const document = await (await fetch(base + '/openapi.json')).json();
assert.match(document.openapi, /^3\.1/);

const resolve = (schema) => (schema.$ref ? document.components.schemas[schema.$ref.split('/').pop()] : schema);
const typeOf = (value) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

function check(schema, value, where) {
  schema = resolve(schema);
  if (schema.oneOf) {
    const fits = schema.oneOf.filter((one) => { try { check(one, value, where); return true; } catch { return false; } });
    assert.equal(fits.length, 1, `${where}: fits ${fits.length} of oneOf`);
    return;
  }
  if ('const' in schema) assert.equal(value, schema.const, where);
  if (schema.enum) assert.ok(schema.enum.includes(value), `${where}: ${value}`);
  if (schema.type) {
    const allowed = [schema.type].flat();
    const type = typeOf(value);
    assert.ok(allowed.includes(type) || (type === 'integer' && allowed.includes('number')), `${where}: is ${type}`);
  }
  if (schema.minimum !== undefined) assert.ok(value >= schema.minimum && value <= schema.maximum, where);
  for (const name of schema.required ?? []) assert.ok(name in value, `${where}.${name} is missing`);
  if (schema.properties && typeOf(value) === 'object') {
    for (const [name, inner] of Object.entries(value)) {
      if (schema.properties[name]) check(schema.properties[name], inner, `${where}.${name}`);
      else assert.notEqual(schema.additionalProperties, false, `${where}.${name} is not in the document`);
    }
  }
  if (schema.items) value.forEach((item, i) => check(schema.items, item, `${where}[${i}]`));
}

let calls = 0;
const seen = new Set();
async function call(method, path, pattern, options = {}) {
  const reply = await fetch(base + path, { method, ...options });
  const operation = document.paths[pattern][method.toLowerCase()];
  const promised = operation.responses[reply.status];
  assert.ok(promised, `${method} ${path}: ${reply.status} is not in the document`);
  const type = reply.headers.get('content-type');
  const content = promised.content[type] ?? promised.content['*/*'];
  assert.ok(content, `${method} ${path}: ${type} is not in the document`);
  const body = type === 'application/json' ? await reply.json() : await reply.text();
  if (type === 'application/json') check(content.schema, body, `${method} ${path}`);
  for (const [header, { required }] of Object.entries(promised.headers ?? {})) {
    assert.ok(!required || reply.headers.get(header), `${method} ${path} ${reply.status}: no ${header}`);
  }
  seen.add(`${method} ${pattern}`);
  ++calls;
  return { status: reply.status, body };
}

const json = (value, headers = {}) => ({ body: JSON.stringify(value), headers: { 'content-type': 'application/json', ...headers } });
const form = new FormData();
form.set('prompt', 'a boat');
form.set('input_reference', new Blob(['not really a picture']), 'p.png');

const { body: job } = await call('POST', '/v1/videos', '/v1/videos', json({ prompt: 'a boat', seconds: 1 }));
await call('POST', '/v1/videos', '/v1/videos', { body: form });
await call('POST', '/v1/videos', '/v1/videos', json({}));
await call('POST', '/v1/videos', '/v1/videos', json({ prompt: 'x', deadline_s: 0.01 }));
await call('GET', `/v1/videos/${job.id}/content`, '/v1/videos/{id}/content');
await call('GET', `/v1/videos/${job.id}/events`, '/v1/videos/{id}/events');
const { body: done } = await call('GET', `/v1/videos/${job.id}`, '/v1/videos/{id}');
assert.equal(done.status, 'completed');
await call('GET', `/v1/videos/${job.id}/content`, '/v1/videos/{id}/content');
await call('GET', `/v1/videos/${job.id}/content`, '/v1/videos/{id}/content', { headers: { Range: 'bytes=0-9' } });
await call('GET', `/v1/videos/${job.id}/content`, '/v1/videos/{id}/content', { headers: { Range: 'bytes=999999999-' } });
await call('GET', '/v1/videos?limit=2', '/v1/videos');
await call('GET', '/v1/videos?limit=0', '/v1/videos');
await call('DELETE', `/v1/videos/${job.id}`, '/v1/videos/{id}');
await call('DELETE', `/v1/videos/${job.id}`, '/v1/videos/{id}');
await call('GET', '/v1/videos/video_none', '/v1/videos/{id}');
await call('GET', '/v1/videos/video_none/events', '/v1/videos/{id}/events');
await call('POST', '/v1/videos/sync', '/v1/videos/sync', json({ prompt: 'a boat' }));
await call('POST', '/v1/images/generations', '/v1/images/generations', json({ prompt: 'a boat' }));
await call('POST', '/v1/images/generations', '/v1/images/generations', json({ prompt: 'a boat', n: 0 }));
await call('POST', '/v1/images/edits', '/v1/images/edits', json({ prompt: 'a boat', image: 'AAAA', mask: 'AAAA' }));
await call('POST', '/v1/images/variations', '/v1/images/variations', json({ image: 'AAAA' }));
await call('GET', '/v1/models', '/v1/models');
await call('GET', '/v1/models/animate', '/v1/models/{id}');
await call('GET', '/v1/models/nobody-has-it', '/v1/models/{id}');
await call('GET', '/openapi.json', '/openapi.json');
await call('POST', '/v1/videos', '/v1/videos', json({ prompt: 'k' }, { 'Idempotency-Key': 'openapi' }));
await call('POST', '/v1/videos', '/v1/videos', json({ prompt: 'other' }, { 'Idempotency-Key': 'openapi' }));

for (const [path, item] of Object.entries(document.paths)) {
  for (const method of Object.keys(item).filter((key) => key !== 'parameters')) {
    assert.ok(seen.has(`${method.toUpperCase()} ${path}`), `${method} ${path} is promised and was not called`);
  }
}
console.log(`openapi: ${calls} calls, ${seen.size} operations`);
