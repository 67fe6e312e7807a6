// The requests that two public servers of the same API document, vLLM-Omni and SGLang Diffusion, against a router: whoever
// wrote a client for one of them is answered as there, or as docs/openai-differences.md says under "Other servers". That
// table and this list hold each other: a difference without a row fails, and so does a row that is none any more.
//
// node servers.mjs BASE videos|images DIFFERENCES.md [PHOTO.png]; BASE without /v1. Their documentation was read in November
// 2026; the requests are restated, their bodies are ours.
import assert from 'node:assert/strict';
import { Blob } from 'node:buffer';
import { readFileSync } from 'node:fs';

const [base, api, differences, photoPath] = process.argv.slice(2);
const photo = () => new Blob([photoPath ? readFileSync(photoPath) : 'a picture'], { type: 'image/png' });
const film = () => new Blob(['a film'], { type: 'video/mp4' });

const get = (path) => fetch(base + path);
const json = (path, body) =>
  fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer any' }, body: JSON.stringify(body) });
// Values are texts, or [blob, file name]; a list of them is a field that comes several times.
function form(path, fields) {
  const body = new FormData();
  for (const [name, value] of fields) Array.isArray(value) ? body.append(name, ...value) : body.append(name, value);
  return fetch(base + path, { method: 'POST', body });
}

async function isJob(reply) {
  const job = await reply.json();
  assert.equal(typeof job.id, 'string');
  assert.ok(['queued', 'in_progress', 'completed'].includes(job.status), job.status);
  assert.ok(Number.isInteger(job.created_at));
  return job;
}
async function isFilm(reply) {
  assert.ok((await reply.arrayBuffer()).byteLength > 0);
}
const arePictures = (count) => async (reply) => {
  const answer = await reply.json();
  assert.ok(Number.isInteger(answer.created));
  assert.equal(answer.data.length, count);
  for (const item of answer.data) assert.equal(Buffer.from(item.b64_json, 'base64').subarray(1, 4).toString(), 'PNG');
};
// Makes a film, polls it as both documents do, and hands its id to what comes then.
async function made() {
  const { id } = await isJob(await json('/v1/videos', { prompt: 'a lake at dawn' }));
  for (let i = 0; i < 400; ++i) {
    const job = await (await get(`/v1/videos/${id}`)).json();
    if (job.status === 'completed') return id;
    assert.notEqual(job.status, 'failed');
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`${id} is not done`);
}

// [server, request, how it is sent, what its answer must be]
const examples = {
  videos: [
    ['vLLM-Omni', 'a form with `width`, `height`, `num_frames`, `fps`, `num_inference_steps`',
      () => form('/v1/videos', [['prompt', 'a lake'], ['width', '128'], ['height', '72'], ['num_frames', '8'], ['fps', '16'], ['num_inference_steps', '4']]),
      async (reply) => assert.equal((await isJob(reply)).size, '128x72')],
    ['vLLM-Omni', '`seconds`, `size`, `model`, `seed`, `negative_prompt`, `guidance_scale`',
      () => form('/v1/videos', [['prompt', 'a lake'], ['model', 'animate'], ['seconds', '2'], ['size', '128x72'], ['seed', '7'], ['negative_prompt', 'fog'], ['guidance_scale', '4.5']]), isJob],
    ['vLLM-Omni', '`input_reference` as a file',
      () => form('/v1/videos', [['prompt', 'move'], ['input_reference', [photo(), 'in.png']], ['fps', '16']]), isJob],
    ['vLLM-Omni', '`extra_params` and `lora` as JSON in text',
      () => form('/v1/videos', [['prompt', 'move'], ['extra_params', '{"preencode_mp4": true}'], ['lora', '{"name": "a"}']]), isJob],
    ['vLLM-Omni', 'the film at once, `/v1/videos/sync`', () => form('/v1/videos/sync', [['prompt', 'a robot'], ['num_frames', '8'], ['fps', '16']]), isFilm],
    ['vLLM-Omni', 'a second file, `control_reference`',
      () => form('/v1/videos/sync', [['prompt', 'x'], ['input_reference', [film(), 'in.mp4']], ['control_reference', [film(), 'c.mp4']], ['control_type', 'wsm']]), isFilm],
    ['vLLM-Omni', 'a second file, `video_noise_mask`',
      () => form('/v1/videos/sync', [['prompt', 'x'], ['source_video', [film(), 's.mp4']], ['video_noise_mask', [new Blob(['0.5'], { type: 'application/json' }), 'm.json']]]), isFilm],
    ['vLLM-Omni', 'an `input_reference` of an address, in JSON', () => json('/v1/videos', { prompt: 'x', input_reference: { image_url: 'https://example.com/a.png' } }), isJob],
    ['vLLM-Omni', 'the list of films', () => get('/v1/videos'), async (reply) => assert.ok(Array.isArray((await reply.json()).data))],
    ['vLLM-Omni', 'a film that is done', async () => get(`/v1/videos/${await made()}/content`), isFilm],
    ['vLLM-Omni', 'deleting a film', async () => fetch(`${base}/v1/videos/${await made()}`, { method: 'DELETE' }), async (reply) => assert.equal((await reply.json()).deleted, true)],
    ['vLLM-Omni', 'models', () => get('/v1/models'), async (reply) => assert.ok((await reply.json()).data.length > 0)],
    ['vLLM-Omni', '`GET /health`', () => get('/health'), async () => {}],
    ['SGLang Diffusion', '`prompt` and `size` as JSON', () => json('/v1/videos', { prompt: 'a cat at a piano', size: '128x72' }), isJob],
    ['SGLang Diffusion', 'the list of films', () => get('/v1/videos'), async (reply) => assert.ok((await reply.json()).data.every((job) => job.id && job.status))],
    ['SGLang Diffusion', 'a film that is done', async () => get(`/v1/videos/${await made()}/content`), isFilm],
    ['SGLang Diffusion', '`GET /models`', () => get('/models'), async () => {}],
    ['SGLang Diffusion', '`POST /v1/set_lora`', () => json('/v1/set_lora', { lora_nickname: 'a', lora_path: '/a', target: 'all', strength: 0.8 }), async () => {}],
    ['SGLang Diffusion', '`POST /v1/merge_lora_weights`', () => json('/v1/merge_lora_weights', { strength: 0.8 }), async () => {}],
    ['SGLang Diffusion', '`POST /v1/unmerge_lora_weights`', () => json('/v1/unmerge_lora_weights', {}), async () => {}],
    ['SGLang Diffusion', '`GET /v1/list_loras`', () => get('/v1/list_loras'), async () => {}],
  ],
  images: [
    ['vLLM-Omni', '`prompt`, `size`, `seed`', () => json('/v1/images/generations', { prompt: 'a dragon', size: '16x16', seed: 42, num_inference_steps: 1 }), arePictures(1)],
    ['vLLM-Omni', '`n` pictures', () => json('/v1/images/generations', { prompt: 'a city', n: 2, size: '16x16', seed: 1, num_inference_steps: 1 }), arePictures(2)],
    ['vLLM-Omni', '`negative_prompt`, `num_inference_steps`, `guidance_scale`, `user`',
      () => json('/v1/images/generations', { prompt: 'a skier', negative_prompt: 'blur', num_inference_steps: 2, guidance_scale: 4, user: 'me', size: '16x16' }), arePictures(1)],
    ['vLLM-Omni', '`response_format: file`', () => json('/v1/images/generations', { prompt: 'x', size: '16x16', response_format: 'file' }), async () => {}],
    ['vLLM-Omni', '`true_cfg_scale`', () => json('/v1/images/generations', { prompt: 'x', size: '16x16', true_cfg_scale: 4 }), arePictures(1)],
    ['vLLM-Omni', 'an edit by form, `output_format=png`',
      () => form('/v1/images/edits', [['image', [photo(), 'x.png']], ['prompt', 'in a coat'], ['size', '32x24'], ['output_format', 'png'], ['num_inference_steps', '2']]), arePictures(1)],
    ['vLLM-Omni', '`size=auto`, `background=auto`, `output_compression=100`, `n`, `stream=false`',
      () => form('/v1/images/edits', [['image', [photo(), 'x.png']], ['prompt', 'x'], ['size', 'auto'], ['background', 'auto'], ['output_compression', '100'], ['n', '1'], ['stream', 'false'], ['num_inference_steps', '2']]), arePictures(1)],
    ['vLLM-Omni', 'two `image` files in one edit', () => form('/v1/images/edits', [['image', [photo(), 'a.png']], ['image', [photo(), 'b.png']], ['prompt', 'x']]), arePictures(1)],
    ['vLLM-Omni', '`output_format=jpeg`', () => form('/v1/images/edits', [['image', [photo(), 'a.png']], ['prompt', 'x'], ['output_format', 'jpeg']]), async () => {}],
    ['vLLM-Omni', '`stream=true`', () => form('/v1/images/edits', [['image', [photo(), 'a.png']], ['prompt', 'x'], ['stream', 'true']]), async () => {}],
    ['vLLM-Omni', '`mask_image` as a file', () => form('/v1/images/edits', [['image', [photo(), 'a.png']], ['mask_image', [photo(), 'm.png']], ['prompt', 'x']]), arePictures(1)],
    ['vLLM-Omni', 'an edit of `url` without `image`', () => form('/v1/images/edits', [['url', 'https://example.com/a.png'], ['prompt', 'x']]), arePictures(1)],
    ['SGLang Diffusion', '`prompt`, `size`, `n`, `response_format: b64_json`', () => json('/v1/images/generations', { prompt: 'a cat', size: '16x16', n: 1, response_format: 'b64_json', steps: 1 }), arePictures(1)],
    // Refused there too.
    ['SGLang Diffusion', '`response_format: url` of a generation', () => json('/v1/images/generations', { prompt: 'a cat', response_format: 'url' }), null],
    ['SGLang Diffusion', 'an edit by form with `image` and `url`',
      () => form('/v1/images/edits', [['image', [photo(), 'x.png']], ['url', 'image.jpg'], ['prompt', 'a cat'], ['size', '32x24'], ['response_format', 'b64_json']]), arePictures(1)],
    ['SGLang Diffusion', 'an edit with `response_format=url`', () => form('/v1/images/edits', [['image', [photo(), 'x.png']], ['prompt', 'a cat'], ['response_format', 'url']]), async () => {}],
    ['SGLang Diffusion', '`GET /v1/images/{id}/content`', () => get('/v1/images/image-1/content'), async () => {}],
  ],
};

// server -> request -> what is said of it here, of the rows of this API.
function saidRows(text) {
  const begin = text.indexOf('## Other servers');
  assert.ok(begin >= 0, `${differences} has no section "Other servers"`);
  const section = text.slice(begin).split('\n## ')[0];
  const rows = new Map();
  for (const line of section.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells.length !== 6 || cells[2] !== api) continue;
    rows.set(`${cells[1]}: ${cells[3]}`, cells[4]);
  }
  return rows;
}

const rows = saidRows(readFileSync(differences, 'utf8'));
const wrong = [];
for (const [server, request, send, check] of examples[api]) {
  const label = `${server}: ${request}`;
  const said = rows.get(label);
  rows.delete(label);
  const reply = await send();
  if (reply.ok) {
    if (said !== undefined || check === null) wrong.push(`${label}: is answered with ${reply.status}, the table says ${said ?? 'nothing, and it is refused there'}`);
    else await check(reply);
    continue;
  }
  const { error } = await reply.json();
  assert.ok(error.message && error.code, label);
  const found = error.param ? `${reply.status} \`${error.param}\`` : `${reply.status}`;
  if (check === null) assert.equal(reply.status, 400, label);
  else if (said !== found) wrong.push(`| ${server} | ${api} | ${request} | ${found} |  (the table says: ${said ?? 'nothing'}; ${error.message})`);
}
for (const label of rows.keys()) wrong.push(`${label}: a row of the table that no example shows`);
assert.deepEqual(wrong, [], `what differs, as ${differences} must say it:\n${wrong.join('\n')}`);
console.log(`servers: ${examples[api].length} documented requests of the ${api} API`);
