/**
 * Builds the console after an install. Where the build tools are not installed (`npm ci --omit=dev`) it says so and leaves
 * things as they are: the gateway runs without a console.
 */
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../console', import.meta.url));
const vite = await import('vite').catch(() => undefined);
if (vite) await vite.build({ root, logLevel: 'warn' });
else process.stdout.write('console: not built, because the development packages are not installed\n');
