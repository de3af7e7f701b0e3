import { fileURLToPath } from 'node:url';

/** Finds the Node that runs the program, and starts it. */
export const LAUNCHER = fileURLToPath(new URL('../../bin/bongsu.js', import.meta.url));
