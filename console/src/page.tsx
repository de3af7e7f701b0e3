/** The page for an address. Each page is loaded when it is opened, with what only it needs, such as the charts. */
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading } from './components/loading.tsx';
import { RefusalNotice } from './components/refusal-notice.tsx';
import { asRefusal, type Refusal } from './gateway/call.ts';
import { NotFoundPage } from './pages/not-found.tsx';
import { useRouter } from './router.tsx';

interface LazyPage {
  /** Undefined until it was loaded. */
  readonly loaded: () => FunctionComponent | undefined;
  readonly load: () => Promise<FunctionComponent>;
}

function lazy(load: () => Promise<FunctionComponent>): LazyPage {
  let page: FunctionComponent | undefined;
  return {
    loaded: () => page,
    async load() {
      page = await load();
      return page;
    },
  };
}

const PAGES: Readonly<Record<string, LazyPage>> = {
  '/': lazy(async () => (await import('./pages/today.tsx')).TodayPage),
  '/live': lazy(async () => (await import('./pages/live.tsx')).LivePage),
  '/messages': lazy(async () => (await import('./pages/messages.tsx')).MessagesPage),
  '/failures': lazy(async () => (await import('./pages/failures.tsx')).FailuresPage),
  '/compose': lazy(async () => (await import('./pages/compose.tsx')).ComposePage),
  '/statistics': lazy(async () => (await import('./pages/statistics.tsx')).StatisticsPage),
  '/reports': lazy(async () => (await import('./pages/reports.tsx')).ReportsPage),
  '/inbound': lazy(async () => (await import('./pages/inbound.tsx')).InboundPage),
  '/accounts': lazy(async () => (await import('./pages/accounts.tsx')).AccountsPage),
  '/registry': lazy(async () => (await import('./pages/registry.tsx')).RegistryPage),
  '/templates': lazy(async () => (await import('./pages/templates.tsx')).TemplatesPage),
  '/files': lazy(async () => (await import('./pages/files.tsx')).FilesPage),
  '/reservations': lazy(async () => (await import('./pages/reservations.tsx')).ReservationsPage),
  '/forms': lazy(async () => (await import('./pages/forms.tsx')).FormsPage),
  '/optouts': lazy(async () => (await import('./pages/optouts.tsx')).OptOutsPage),
  '/carriers': lazy(async () => (await import('./pages/carriers.tsx')).CarriersPage),
  '/routes': lazy(async () => (await import('./pages/routes.tsx')).RoutesPage),
  '/webhooks': lazy(async () => (await import('./pages/webhooks.tsx')).WebhooksPage),
  '/simulator': lazy(async () => (await import('./pages/simulator.tsx')).SimulatorPage),
  '/operators': lazy(async () => (await import('./pages/operators.tsx')).OperatorsPage),
  '/nodes': lazy(async () => (await import('./pages/nodes.tsx')).NodesPage),
  '/audit': lazy(async () => (await import('./pages/audit.tsx')).AuditPage),
};

/** Of one thing in a list. */
const DETAILS: readonly (readonly [RegExp, LazyPage])[] = [
  [/^\/messages\/[^/]+$/, lazy(async () => (await import('./pages/message.tsx')).MessagePage)],
  [/^\/accounts\/[^/]+$/, lazy(async () => (await import('./pages/account.tsx')).AccountPage)],
  [/^\/templates\//, lazy(async () => (await import('./pages/templates.tsx')).TemplatesPage)],
  [
    /^\/webhooks\/[^/]+$/,
    lazy(async () => (await import('./pages/webhook-delivery.tsx')).WebhookDeliveryPage),
  ],
];

export function pageAt(path: string): LazyPage | undefined {
  return Object.hasOwn(PAGES, path) ? PAGES[path] : DETAILS.find(([pattern]) => pattern.test(path))?.[1];
}

export function CurrentPage() {
  const { path } = useRouter();
  const page = pageAt(path);
  return page ? <Page key={path} page={page} /> : <NotFoundPage />;
}

function Page({ page }: { page: LazyPage }) {
  const [, setLoaded] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | undefined>();
  useEffect(() => {
    let isLeft = false;
    page.load().then(
      () => {
        if (!isLeft) setLoaded(true);
      },
      // For example after an update of the gateway: this page still refers to files of the old build.
      error => setRefusal(asRefusal(error)),
    );
    return () => {
      isLeft = true;
    };
  }, [page]);
  if (refusal) return <RefusalNotice refusal={refusal} onRetry={() => location.reload()} />;
  const Loaded = page.loaded();
  return Loaded ? <Loaded /> : <Loading />;
}
