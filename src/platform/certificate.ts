/** The certificate of a server and its key, from two PEM files: read and checked before anything uses them. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

export interface Certificate {
  /** The certificate, followed by those between it and its root. */
  readonly cert: string;
  readonly key: string;
}

export interface CheckedCertificate extends Certificate {
  /** When the first of the chain ends. */
  readonly expiresAt: number;
}

/** What is wrong with one of the files, in the words of whoever could not use it. */
export class CertificateProblem extends Error {
  override name = 'CertificateProblem';
  readonly file: 'cert' | 'key';

  constructor(file: 'cert' | 'key', message: string) {
    super(message);
    this.file = file;
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Throws a `CertificateProblem` unless a server can start with them. One that has expired is no problem here. */
export function readCertificate(files: { readonly cert: string; readonly key: string }): CheckedCertificate {
  const cert = read('cert', files.cert);
  const key = read('key', files.key);
  const chain = attempt('cert', `not a certificate in PEM format: ${files.cert}`, () =>
    (cert.match(PEM_CERTIFICATE) ?? []).map(text => new X509Certificate(text)),
  );
  if (chain.length === 0)
    throw new CertificateProblem('cert', `not a certificate in PEM format: ${files.cert}`);
  attempt('key', `not a key in PEM format, or not the key of the certificate: ${files.key}`, () =>
    createSecureContext({ cert, key }),
  );
  return { cert, key, expiresAt: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))) };
}

function read(file: 'cert' | 'key', path: string): string {
  return attempt(file, `cannot read ${path}`, () => readFileSync(path, 'utf8'));
}

function attempt<T>(file: 'cert' | 'key', problem: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new CertificateProblem(file, `${problem} (${(error as Error).message})`);
  }
}
