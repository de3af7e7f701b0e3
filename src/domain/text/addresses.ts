/** Addresses that messages open on a phone: web pages, and apps by schemes of their own. */

/** Schemes that run or show what the address itself holds, or what is on the phone; no message needs them. */
const BARRED_SCHEMES = ['javascript', 'vbscript', 'data', 'blob', 'file', 'about'];

/** As browsers read it: without blanks and control characters before the scheme, or tabs and line ends within it. */
const SCHEME = /^[\s\p{Cc}]*([a-z][a-z\d+.\-\t\r\n]*):/iu;

/** Whether the address is of a kind that must not be sent; texts that are no address are not judged. */
export function opensNothing(address: string): boolean {
  const scheme = SCHEME.exec(address)?.[1]?.replace(/[\t\r\n]/g, '');
  return scheme !== undefined && BARRED_SCHEMES.includes(scheme.toLowerCase());
}
