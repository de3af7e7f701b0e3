/** `npm run sbom`: writes docs/sbom.json anew, or the file that is named. `npm run check` compares it with the lock. */
import { writeFileSync } from 'node:fs';
import { readLock } from './production-tree.ts';
import { sbomOf } from './sbom.ts';

const [path = 'docs/sbom.json'] = process.argv.slice(2);
writeFileSync(path, `${JSON.stringify(sbomOf(readLock()), null, 2)}\n`);
process.stdout.write(`${path} is written\n`);
