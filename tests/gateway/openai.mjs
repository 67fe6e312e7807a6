// The npm client `openai` against a router, for what both know: models, videos, errors, retries, request ids; and what a
// browser sends before and with its requests. docs/openai-differences.md says what is left.
import assert from 'node:assert/strict';
import { File } from 'node:buffer';
import OpenAI, { toFile } from 'openai';

globalThis.File ??= File; // Node.js 18, Debian 12's, has it here only

const client = new OpenAI({ apiKey: 'any', baseURL: process.argv[2], maxRetries: 0 });

const models = await client.models.list();
assert.deepEqual(models.data.map((model) => model.id), ['animate']);
const model = await client.models.retrieve('animate');
assert.deepEqual([model.id, model.object, model.owned_by], ['animate', 'model', 'ringway']);
assert.match(model._request_id, /^req_[0-9a-f]{32}$/);
assert.notEqual(model._request_id, (await client.models.retrieve('animate'))._request_id);
await assert.rejects(client.models.retrieve('org/nobody has it'), (error) => {
  assert.ok(error instanceof OpenAI.NotFoundError);
  assert.equal(error.code, 'model_not_found');
  assert.match(error.requestID, /^req_/);
  return true;
});

const picture = await toFile(Buffer.from('a picture'), 'picture.png', { type: 'image/png' });
const made = await client.videos.create({ model: 'animate', prompt: 'a boat sways', seconds: '4', size: '1280x720', input_reference: picture });
assert.equal(made.object, 'video');
assert.ok(['queued', 'in_progress'].includes(made.status));

// Every documented form of a picture: a file (above), a data URL; not what would have to be fetched or kept.
const png = `data:image/png;base64,${Buffer.alloc(60_000, 'a picture').toString('base64')}`;
const nested = await client.videos.create({ model: 'animate', prompt: 'nested', input_reference: { image_url: png } });
assert.equal(nested.object, 'video');
for (const input_reference of [{ image_url: 'https://example.com/a.png' }, { file_id: 'file-1' }]) {
  await assert.rejects(client.videos.create({ model: 'animate', prompt: 'x', input_reference }), OpenAI.BadRequestError);
}
const json = (input_reference) => fetch(process.argv[2] + '/videos',
  { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ prompt: 'json', input_reference }) });
for (const form of [png, { image_url: png }]) assert.equal((await json(form)).status, 200);
for (const form of [{ file_id: 'file-1' }, { image_url: 'http://example.com/a.png' }]) assert.equal((await json(form)).status, 400);

let job = made;
for (let i = 0; i < 200 && job.status !== 'completed'; ++i) {
  await new Promise((done) => setTimeout(done, 50));
  job = await client.videos.retrieve(made.id);
  assert.notEqual(job.status, 'failed');
}
assert.equal(job.status, 'completed');
assert.equal(job.progress, 100);

const content = await client.videos.downloadContent(made.id);
assert.equal((await content.arrayBuffer()).byteLength, 300000);

// What a synthetic worker makes is no film (openai_previews.mjs has one).
for (const variant of ['thumbnail', 'spritesheet']) {
  await assert.rejects(client.videos.downloadContent(made.id, { variant }), (error) => error instanceof OpenAI.UnprocessableEntityError && error.param === 'variant');
}
assert.equal(job.size, '1280x720');
assert.equal(job.seconds, '4');

const listed = [];
for await (const video of client.videos.list({ limit: 2 })) {
  listed.push(video.id);
  if (listed.length === 50) break;
}
assert.ok(listed.includes(made.id));

const twice = [];
for (let i = 0; i < 2; ++i) {
  twice.push(await client.videos.create({ model: 'animate', prompt: 'once' }, { idempotencyKey: 'k-openai', headers: { 'Idempotency-Key': 'k-openai' } }));
}
assert.equal(twice[0].id, twice[1].id);

const deleted = await client.videos.delete(made.id);
assert.equal(deleted.deleted, true);
await assert.rejects(client.videos.retrieve(made.id), OpenAI.NotFoundError);
await assert.rejects(client.videos.create({ model: 'animate', prompt: 'x', size: 'large' }), OpenAI.BadRequestError);
await assert.rejects(client.videos.create({ model: 'animate', prompt: 'x', deadline_s: 0.01 }), OpenAI.RateLimitError);

// A browser on a page of the one origin that the router lists, and on another.
const asks = (origin, options = {}) => fetch(process.argv[2] + '/models', { ...options, headers: { origin, ...options.headers } });
const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,x-stainless-os' } };
const allowed = await asks('https://app.example', preflight);
assert.equal(allowed.status, 200);
assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example');
assert.match(allowed.headers.get('access-control-allow-methods'), /POST/);
assert.equal(allowed.headers.get('access-control-allow-headers'), 'authorization,x-stainless-os');
const shown = await asks('https://app.example');
assert.equal(shown.status, 200);
assert.equal(shown.headers.get('access-control-allow-origin'), 'https://app.example');
assert.match(shown.headers.get('access-control-expose-headers'), /X-Request-Id/);
for (const options of [preflight, {}]) {
  const foreign = await asks('https://evil.example', options);
  assert.equal(foreign.headers.get('access-control-allow-origin'), null);
  assert.equal(foreign.status, 403);
}
// Through another router, one id and one set of fields.
const film = await fetch(`${process.argv[2]}/videos/${nested.id}`, { headers: { origin: 'https://app.example' } });
assert.match(film.headers.get('x-request-id'), /^req_[0-9a-f]{32}$/);
assert.equal(film.headers.get('access-control-allow-origin'), 'https://app.example');
console.log(`openai client: all calls work, ${listed.length} listed`);
