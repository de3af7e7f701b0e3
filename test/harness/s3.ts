/** An S3 server for tests: it checks signatures and keeps objects in a directory of its own. */
import S3rver from '@20minutes/s3rver';
import { scratchDirectory } from './scratch.ts';

const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export async function startS3(...buckets: readonly string[]) {
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: scratchDirectory(),
    vhostBuckets: false,
    configureBuckets: buckets.map(name => ({ name })),
  });
  const { port } = await server.run();
  return {
    keys: KEYS,
    endpoint: `http://127.0.0.1:${port}`,
    stop: () => server.close(),
  };
}
