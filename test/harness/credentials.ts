/** What every test server lets in. */

export const ADMIN_TOKEN = 'admin-token-for-all-tests';

export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}
