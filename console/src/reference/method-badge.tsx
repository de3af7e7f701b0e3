const KINDS: Readonly<Record<string, string>> = {
  GET: 'badge-busy',
  POST: 'badge-good',
  PUT: 'badge-doubt',
  PATCH: 'badge-doubt',
  DELETE: 'badge-bad',
};

export function MethodBadge({ method }: { method: string }) {
  return <span class={`badge method ${KINDS[method] ?? ''}`}>{method}</span>;
}
