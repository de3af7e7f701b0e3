/** Addresses of uploaded images: those under which this gateway serves them. */
import { type FileKey, parseFileKey } from '../ids.ts';

/** In ASCII, because reading a host in other letters takes longer than in proportion to its length. */
const FORM = /^https?:\/\/[!-~]{1,2000}\/files\/([0-9A-Z]{32})$/;

/**
 * The key in the address of an upload. With `publicUrl` the address must be one of that host and path; without it nobody
 * knows the names of this gateway, so the path alone decides.
 */
export function uploadKeyIn(address: string, publicUrl?: string): FileKey | undefined {
  const key = parseFileKey(FORM.exec(address)?.[1] ?? '');
  const url = key && URL.parse(address);
  if (!url?.pathname.endsWith(`/files/${key}`)) return undefined;
  if (publicUrl === undefined) return key;
  const own = URL.parse(publicUrl);
  const isOwn = own?.host === url.host && url.pathname === `${own.pathname.replace(/\/+$/, '')}/files/${key}`;
  return isOwn ? key : undefined;
}
