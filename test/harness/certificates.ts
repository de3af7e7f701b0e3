/** Certificates that sign themselves, made by openssl for one test. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificate } from '../../src/platform/certificate.ts';
import { scratchDirectory } from './scratch.ts';

/** For 127.0.0.1; `days` below zero make one that has expired. */
export function selfSigned(days = 2): Certificate {
  const directory = scratchDirectory();
  const [key, request, cert, names] = ['key.pem', 'request.pem', 'cert.pem', 'names'].map(name =>
    join(directory, name),
  ) as [string, string, string, string];
  writeFileSync(names, 'subjectAltName=IP:127.0.0.1');
  const quietly = { stdio: 'ignore' } as const;
  execFileSync(
    'openssl',
    [
      ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', key, '-out', request, '-subj', '/CN=provider.test'],
    ],
    quietly,
  );
  execFileSync(
    'openssl',
    [
      ...['x509', '-req', '-in', request, '-signkey', key, '-days', String(days)],
      ...['-extfile', names, '-out', cert],
    ],
    quietly,
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
