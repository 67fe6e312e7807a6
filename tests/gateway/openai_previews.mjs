// The npm client `openai` asks for all that a film has: itself, a thumbnail, a spritesheet.
import assert from 'node:assert/strict';
import { File } from 'node:buffer';
import OpenAI from 'openai';

globalThis.File ??= File; // Node.js 18, Debian 12's, has it here only

const client = new OpenAI({ apiKey: 'any', baseURL: process.argv[2], maxRetries: 0 });
let job = await client.videos.create({ prompt: 'a boat sways' });
for (let i = 0; i < 200 && job.status !== 'completed'; ++i) {
  await new Promise((done) => setTimeout(done, 50));
  job = await client.videos.retrieve(job.id);
  assert.notEqual(job.status, 'failed');
}
const begins = { thumbnail: 'RIFF', spritesheet: '\xff\xd8\xff', video: 'RIFF' };
const types = { thumbnail: 'image/webp', spritesheet: 'image/jpeg', video: 'image/webp' };
for (const variant of ['thumbnail', 'spritesheet', 'video']) {
  const content = await client.videos.downloadContent(job.id, { variant });
  assert.equal(content.headers.get('content-type'), types[variant]);
  const bytes = Buffer.from(await content.arrayBuffer());
  assert.equal(bytes.length, Number(content.headers.get('content-length')));
  assert.ok(bytes.toString('latin1').startsWith(begins[variant]), variant);
}
await assert.rejects(client.videos.downloadContent(job.id, { variant: 'trailer' }), OpenAI.BadRequestError);
console.log('openai client: thumbnail, spritesheet and film');
