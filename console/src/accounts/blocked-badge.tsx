import { Badge } from '../components/badge.tsx';
import type { ListedAccount } from '../gateway/accounts.ts';
import { useWords } from '../words/words.tsx';

export function BlockedBadge({ account: { blocked } }: { account: ListedAccount }) {
  const t = useWords();
  return <Badge tone={blocked ? 'bad' : 'good'}>{blocked ? t.accounts.blocked : t.accounts.active}</Badge>;
}
