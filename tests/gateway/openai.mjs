// The npm client `openai` against a router, for what both know: models, videos, errors, retries.
import assert from 'node:assert/strict';
import { File } from 'node:buffer';
import OpenAI, { toFile } from 'openai';

globalThis.File ??= File; // Node.js 18, Debian 12's, has it here only

const client = new OpenAI({ apiKey: 'any', baseURL: process.argv[2], maxRetries: 0 });

const models = await client.models.list();
assert.deepEqual(models.data.map((model) => model.id), ['animate']);

const picture = await toFile(Buffer.from('a picture'), 'picture.png', { type: 'image/png' });
const made = await client.videos.create({ model: 'animate', prompt: 'a boat sways', seconds: '4', size: '1280x720', input_reference: picture });
assert.equal(made.object, 'video');
assert.ok(['queued', 'in_progress'].includes(made.status));

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

const listed = [];
for await (const video of client.videos.list({ limit: 2 })) {
  listed.push(video.id);
  if (listed.length === 5) break;
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
console.log(`openai client: all calls work, ${listed.length} listed`);
