/*
 * Starts the server in this process, with the compiled code of the start before: half the time, and 30 MB less memory,
 * because the program that strips types is not even loaded. Threads inherit it.
 */
// Before anything else: see there.
import './early-signals.js';
import module from 'node:module';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import { compileCache, entryOf, isNewEnough, OLDEST_NODE } from './runtime.js';

if (!isNewEnough(process.version)) {
  process.stderr.write(`bongsu: needs Node ${OLDEST_NODE} or later; this is ${process.version}\n`);
  process.exit(1);
}

// The old generation is collected when it has doubled. By itself V8 lets a small one grow fourfold, which saves no time that
// could be measured. The young one can be limited by a flag of the command only.
v8.setFlagsFromString('--heap-growing-percent=100');
// Where it cannot be written there is none.
process.env.NODE_COMPILE_CACHE ||= compileCache();
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);

const { serve } = await import(pathToFileURL(entryOf('main')).href);
await serve(process.env);
// Otherwise it is written at the end of the process, which may be a kill.
module.flushCompileCache();
