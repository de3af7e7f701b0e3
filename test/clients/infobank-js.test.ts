import { ADMIN_TOKEN } from '../harness/credentials.ts';
import { startServer } from '../harness/process.ts';
import { testPublicClient } from './infobank-js-suite.ts';

testPublicClient('at a gateway', t =>
  startServer(t, { BONGSU_HEADER_PREFIXES: 'SVC,IB', BONGSU_ADMIN_TOKEN: ADMIN_TOKEN }),
);
