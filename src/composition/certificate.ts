/** The certificate that the server speaks TLS with, where one is configured. */
import { type Config, ConfigProblems } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import type { Metrics } from '../observe/metrics.ts';
import { CertificateProblem, type CheckedCertificate, readCertificate } from '../platform/certificate.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';

const SETTING_OF = { cert: SETTINGS.tlsCert, key: SETTINGS.tlsKey };

/** Undefined where the server speaks plain HTTP. Throws `ConfigProblems` where the files are of no use. */
export function configuredCertificate({
  tlsCert: cert,
  tlsKey: key,
}: Config): CheckedCertificate | undefined {
  if (cert === undefined || key === undefined) return undefined;
  try {
    return readCertificate({ cert, key });
  } catch (error) {
    if (!(error instanceof CertificateProblem)) throw error;
    throw new ConfigProblems([`${SETTING_OF[error.file].env}: ${error.message}`]);
  }
}

/** One that has expired is used all the same: a client may accept it, and refusing to start helps nobody. */
export function noteCertificate(
  { expiresAt }: CheckedCertificate,
  deps: {
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: Pick<Metrics, 'certificateExpires'>;
  },
): void {
  const { clock, log, metrics } = deps;
  metrics.certificateExpires.set(expiresAt / 1000);
  const line = { event: 'certificate', expiresAt: new Date(expiresAt).toISOString() };
  if (expiresAt <= clock.now()) log.warn({ ...line, text: 'The certificate has expired' });
  else log.info(line);
}
