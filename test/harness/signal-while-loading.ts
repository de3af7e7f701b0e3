/**
 * Preloaded into a gateway (NODE_OPTIONS): the process gets a signal each time a module of the program is loaded, so also before
 * the first line of the program runs.
 */
import { registerHooks } from 'node:module';

const signal = process.env.TEST_SIGNAL as NodeJS.Signals;

registerHooks({
  load(url, context, nextLoad) {
    if (/\/(src|dist)\//.test(url)) process.kill(process.pid, signal);
    return nextLoad(url, context);
  },
});
