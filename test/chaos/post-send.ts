/** A send as a client makes it. Undefined where no answer came: nobody knows what became of it. */
export async function postSend<Answer>(send: {
  readonly url: string;
  readonly token: string;
  readonly body: string;
  readonly idempotencyKey: string | undefined;
  readonly withinMs: number;
}): Promise<Answer | undefined> {
  const { url, token, body, idempotencyKey, withinMs } = send;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body,
      signal: AbortSignal.timeout(withinMs),
    });
    return (await response.json()) as Answer;
  } catch {
    return undefined;
  }
}
