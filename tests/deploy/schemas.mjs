// Manifests against the schemas that Kubernetes and the Prometheus Operator publish, as the npm packages
// kubernetes-models and @kubernetes-models/prometheus-operator have them: node schemas.mjs FILE...
//
// Twice: their validators see what is missing or has a wrong value, and the type checker of TypeScript sees keys that
// there are not, which the API server would drop without a word. The last line says how many documents were checked.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const here = path.dirname(fileURLToPath(import.meta.url));

function moduleOf({ apiVersion, kind }) {
  const models = apiVersion.startsWith('monitoring.coreos.com/') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${models}/${apiVersion}/${kind}`;
}

let checked = 0;
const wrong = [];
const program = [];
const places = [];
for (const file of process.argv.slice(2)) {
  for (const document of parseAllDocuments(fs.readFileSync(file, 'utf8'))) {
    if (document.errors.length) throw new Error(`${file}: ${document.errors[0].message}`);
    const manifest = document.toJS();
    if (manifest === null || manifest.kind === 'Kustomization') continue;
    const place = `${file}: ${manifest.kind} ${manifest.metadata?.name}`;
    const name = `I${manifest.kind}`;
    program.push(`import type { ${name} as T${checked} } from '${moduleOf(manifest)}';`);
    places.push({ place, text: `const d${checked}: T${checked} = ${JSON.stringify(manifest)};` });
    ++checked;
    try {
      const Model = (await import(moduleOf(manifest)))[manifest.kind];
      new Model(manifest).validate();
    } catch (error) {
      wrong.push(`${place}: ${error.message}`);
    }
  }
}
// One line a document, so that a line number names it.
const source = path.join(here, 'manifests.ts');
fs.writeFileSync(source, [...program, ...places.map(({ text }) => text), 'export {};', ''].join('\n'));
try {
  execFileSync(path.join(here, 'node_modules/.bin/tsc'),
    ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext', source], { encoding: 'utf8', cwd: here });
} catch (error) {
  for (const line of String(error.stdout).split('\n')) {
    const found = /manifests\.ts\((\d+),\d+\): error TS\d+: (.*)/.exec(line);
    if (found) wrong.push(`${places[found[1] - program.length - 1]?.place}: ${found[2]}`);
  }
  if (!wrong.length) wrong.push(String(error.stdout || error.message));
}
for (const line of wrong) console.log(line);
console.log(`${checked} documents, ${wrong.length} mistakes`);
process.exit(wrong.length ? 1 : 0);
