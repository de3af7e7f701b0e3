import { importPart } from './behaviour.ts';

await importPart(1);
