/** What the benchmarks ask of a gateway besides load. */
import type { Server } from './processes.ts';

export const ADMIN_TOKEN = 'bench-admin-token';

export async function tokenOf(
  server: Server,
  { id, password }: { readonly id: string; readonly password: string },
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/auth/token`, {
    method: 'POST',
    headers: { 'X-SVC-Client-Id': id, 'X-SVC-Client-Passwd': password },
  });
  const { data } = (await response.json()) as { data: { token: string } };
  return data.token;
}

/** Waits until at most so many messages are on their way. */
export async function queueIsEmpty(server: Server, most = 0): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${server.port}/admin/v1/queue`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const { data } = (await response.json()) as { data: { ready: number; claimed: number; waiting: number } };
    if (data.ready + data.claimed + data.waiting <= most) return;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
