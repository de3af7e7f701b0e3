/** The tests beside the code that need no database. */
import { globSync } from 'node:fs';
import { importAll } from './import-all.ts';

await importAll(
  globSync(['src/!(store)/**/*.test.ts', 'src/store/*.test.ts', 'src/store/!(postgres)/*.test.ts']),
);
