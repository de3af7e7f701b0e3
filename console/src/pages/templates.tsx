/** Templates: the library of an account, and one template with its content, its approval and its history. */

import { TEMPLATE_KINDS } from '../../../src/domain/registry/template.ts';
import { OfAccount, useAccountInAddress } from '../components/account-picker.tsx';
import { decoded, useRouter } from '../router.tsx';
import { TemplateLibrary } from '../templates/template-library.tsx';
import { NewTemplate, TemplateView } from '../templates/template-view.tsx';

export function TemplatesPage() {
  const { path, query } = useRouter();
  const choice = useAccountInAddress();
  const { account } = choice;
  const [, kindWord, key] = /^\/templates\/(\w+)\/([^/]+)$/.exec(path) ?? [];
  const kind = TEMPLATE_KINDS.find(known => known === (kindWord ?? query.get('kind')));
  const isNew = path === '/templates/new';
  if (!isNew && key === undefined) return <TemplateLibrary choice={choice} />;
  if (!account) return <OfAccount choice={choice}>{() => null}</OfAccount>;
  if (isNew || !kind || key === undefined) {
    const like = query.get('like') ?? undefined;
    const copied = kind ?? 'alimtalkTemplate';
    return <NewTemplate key={`${account} ${like}`} account={account} kind={copied} like={like} />;
  }
  const place = { account, kind, templateKey: decoded(key) };
  return <TemplateView key={`${account} ${kind} ${key}`} {...place} />;
}
