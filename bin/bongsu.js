#!/usr/bin/env node
/*
 * Starts the command line, whatever runs this file: under the Node that the npm package "node" brings, which a checkout
 * installs, or else under this Node, if it is new enough.
 * Written for Node 12 and later: no "node:" imports, no newer syntax, no packages.
 */

/* biome-ignore-start lint/style/useNodejsImportProtocol: Node before 12.20 does not know "node:". */
import { spawn } from 'child_process';
import { createRequire } from 'module';
import { constants } from 'os';
import { compileCache, entryOf, isNewEnough, OLDEST_NODE } from './runtime.js';

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
  const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8', '--v8-pool-size=1'];
  const given = process.argv.slice(2);
  // Any other command ends with its terminal.
  if (given.length === 0 || given[0] === 'serve') {
    flags.push(`--import=${new URL('early-signals.js', import.meta.url).href}`);
  }
  const args = flags.concat(entryOf('cli/main'), given);
  // As in start.js.
  const env = Object.assign({ NODE_COMPILE_CACHE: compileCache() }, process.env);
  let child;
  const forward = signal => child.kill(signal);
  // Before there is a child: a signal in between would end this process alone.
  for (const signal of FORWARDED) process.on(signal, forward);
  child = spawn(node, args, { stdio: 'inherit', env: env });

  child.on('error', error => fail(`cannot run ${node} (${error.message}): install again`));
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

const node = pinnedNode() || (isNewEnough(process.version) ? process.execPath : undefined);
if (node === undefined) {
  fail(
    `needs Node ${OLDEST_NODE} or later; this is ${process.version}. Install one, or put the package "node" beside this one: npm install node@24`,
  );
} else {
  run(node);
}
