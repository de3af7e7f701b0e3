/*
 * What signals do while the program loads and nobody listens to them yet. By default SIGHUP would end the process; here nothing
 * has been read that could be read again. SIGTERM and SIGINT end it by default, but not the first process of a container, which
 * has no defaults.
 * Written for Node 12 and later, like bongsu.js.
 */

/* biome-ignore-start lint/style/useNodejsImportProtocol: Node before 12.20 does not know "node:". */
import { constants } from 'os';

/* biome-ignore-end lint/style/useNodejsImportProtocol: see above. */

process.on('SIGHUP', () => {});
if (process.pid === 1) {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}
