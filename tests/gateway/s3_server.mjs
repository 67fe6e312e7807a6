// An S3-compatible server that was written by others, from npm, for the tests of the shared store:
//   node --openssl-legacy-provider s3_server.mjs FOLDER PORT_FILE PORT [close]
// PORT may be 0. With `close` it closes each connection after its answer.
// One bucket, `films`; the key and the secret are S3RVER. It checks signatures of version 4 of every request that has
// one, and tests see to it that every request has one. The legacy provider is for its continuation tokens.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const S3rver = require('@20minutes/s3rver');
const [folder, portFile, port, closes] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1', port: Number(port), directory: folder, silent: true,
  configureBuckets: [{ name: 'films' }],
});
// A request that is not signed is nobody's; the server would take it for its only account's.
server.middleware.unshift(async (ctx, next) => {
  if (!ctx.headers.authorization) ctx.throw(403, 'not signed');
  if (closes) ctx.set('Connection', 'close');
  await next();
});
const { port: chosen } = await server.run();
fs.writeFileSync(`${portFile}.new`, `${chosen}\n`);
fs.renameSync(`${portFile}.new`, portFile);
