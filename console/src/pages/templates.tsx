/** Templates: the library of an account, and one template with its content, its approval and its history. */
import { useEffect } from 'preact/hooks';
import { useAccountChoice } from '../components/account-picker.tsx';
import { Loading } from '../components/loading.tsx';
import { TEMPLATE_KINDS } from '../gateway/templates.ts';
import { useRouter } from '../router.tsx';
import { TemplateLibrary } from '../templates/template-library.tsx';
import { NewTemplate, TemplateView } from '../templates/template-view.tsx';

export function TemplatesPage() {
  const { path, query } = useRouter();
  const choice = useAccountChoice();
  const asked = query.get('account');
  useEffect(() => {
    if (asked && asked !== choice.account) choice.choose(asked);
  }, [asked]);
  const [, kindWord, key] = /^\/templates\/(\w+)\/([^/]+)$/.exec(path) ?? [];
  const kind = TEMPLATE_KINDS.find(known => known === (kindWord ?? query.get('kind')));
  const account = asked ?? choice.account;
  const isNew = path === '/templates/new';
  if (!isNew && key === undefined) return <TemplateLibrary choice={choice} />;
  if (!account) return <Loading />;
  if (isNew || !kind || key === undefined) {
    const like = query.get('like') ?? undefined;
    const copied = kind ?? 'alimtalkTemplate';
    return <NewTemplate key={`${account} ${like}`} account={account} kind={copied} like={like} />;
  }
  const place = { account, kind, templateKey: decodeURIComponent(key) };
  return <TemplateView key={`${account} ${kind} ${key}`} {...place} />;
}
