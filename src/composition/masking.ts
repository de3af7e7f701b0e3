/** Who sees masked values only, as it is configured. */
import type { Config } from '../config/config.ts';
import type { Masking } from '../operate/masking.ts';

export function maskingOf({ masking, mode }: Pick<Config, 'masking' | 'mode'>): Masking {
  return masking ?? (mode === 'production' ? 'everyone' : 'non-admins');
}
