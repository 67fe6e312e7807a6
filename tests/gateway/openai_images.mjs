// The npm client `openai` against a router, for the images API: generate, edit, createVariation, errors.
import assert from 'node:assert/strict';
import { File } from 'node:buffer';
import { readFileSync } from 'node:fs';
import OpenAI, { toFile } from 'openai';

globalThis.File ??= File; // Node.js 18, Debian 12's, has it here only

const client = new OpenAI({ apiKey: 'any', baseURL: process.argv[2], maxRetries: 0 });
const photo = async () => toFile(readFileSync(process.argv[3]), 'photo.png', { type: 'image/png' });
const isPng = (item) => assert.ok(Buffer.from(item.b64_json, 'base64').subarray(1, 4).equals(Buffer.from('PNG')));

const drawn = await client.images.generate({ model: 'animate', prompt: 'a boat', n: 2, size: '16x16', steps: 1 });
assert.equal(drawn.data.length, 2);
drawn.data.forEach(isPng);
assert.ok(drawn.created > 1e9);

const edited = await client.images.edit({ model: 'animate', image: await photo(), prompt: 'a boat', steps: 2, strength: 0.6 });
isPng(edited.data[0]);
const varied = await client.images.createVariation({ model: 'animate', image: await photo(), steps: 2 });
isPng(varied.data[0]);

await assert.rejects(client.images.generate({ prompt: 'a boat', response_format: 'url' }), OpenAI.BadRequestError);
await assert.rejects(client.images.generate({ model: 'dall-e-3', prompt: 'a boat' }), OpenAI.NotFoundError);
await assert.rejects(client.images.generate({ prompt: 'a boat', deadline_s: 0.0001 }), OpenAI.RateLimitError);
console.log('openai client: images.generate, edit and createVariation work');
