#!/usr/bin/env node
/*
 * Starts the command line under the Node that the npm package "node" brings, whatever runs this file.
 * Written for Node 12 and later: no "node:" imports, no newer syntax, no packages.
 */

/* biome-ignore-start lint/style/useNodejsImportProtocol: Node before 12.20 does not know "node:". */
import { spawn } from 'child_process';
import { createRequire } from 'module';
import { constants } from 'os';
import { fileURLToPath } from 'url';

/* biome-ignore-end lint/style/useNodejsImportProtocol: see above. */

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function pinnedNode() {
  const require = createRequire(import.meta.url);
  for (const file of ['node/bin/node', 'node/bin/node.exe']) {
    try {
      return require.resolve(file);
    } catch (_error) {
      // The other one, then.
    }
  }
  return undefined;
}

function fail(message) {
  process.stderr.write(`bongsu: ${message}\n`);
  process.exitCode = 1;
}

function run(node) {
  const entry = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', entry].concat(process.argv.slice(2));
  // As in start.js.
  const cache = fileURLToPath(new URL('../node_modules/.cache/bongsu', import.meta.url));
  const env = Object.assign({ NODE_COMPILE_CACHE: cache }, process.env);
  const child = spawn(node, args, { stdio: 'inherit', env: env });
  const forward = signal => child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);

  child.on('error', error => fail(`cannot run ${node} (${error.message}): run npm ci again`));
  child.on('exit', (code, signal) => {
    for (const name of FORWARDED) process.removeListener(name, forward);
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    // Whoever waits for this process learns how the child died; the code is for systems without signals.
    process.exitCode = 128 + constants.signals[signal];
    process.kill(process.pid, signal);
  });
}

const node = pinnedNode();
if (node === undefined) {
  const here = fileURLToPath(new URL('..', import.meta.url));
  fail(`the Node it runs on is not installed: run npm ci in ${here}`);
} else {
  run(node);
}
