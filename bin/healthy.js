/*
 * Ends with 0 if the gateway of this machine is alive, for the health check of an image. It reads the settings that the
 * gateway reads. A certificate is not checked: it is for another name than the loopback address.
 */
import { request as plain } from 'node:http';
import { request as encrypted } from 'node:https';

const { BONGSU_HOST: host, BONGSU_PORT: port, BONGSU_TLS_CERT: certificate } = process.env;
const isAnyAddress = !host || host === '0.0.0.0' || host === '::';
const ask = certificate ? encrypted : plain;
ask({
  host: isAnyAddress ? '127.0.0.1' : host,
  port: Number(port || 8080),
  path: '/healthz',
  timeout: 2_000,
  rejectUnauthorized: false,
})
  .on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1))
  .end();
