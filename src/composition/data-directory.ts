/** Why a data directory cannot be used: for those who explain it to people, and load nothing else of the store. */
export { DataDirectoryInUse } from '../store/sqlite/lock.ts';
