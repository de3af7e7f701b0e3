/** The page for an address. Pages that are opened rarely are loaded on demand. */
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading } from './components/loading.tsx';
import { RefusalNotice } from './components/refusal-notice.tsx';
import { asRefusal, type Refusal } from './gateway/call.ts';
import { LivePage } from './pages/live.tsx';
import { MessagePage } from './pages/message.tsx';
import { MessagesPage } from './pages/messages.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { useRouter } from './router.tsx';

const LAZY_PAGES: Readonly<Record<string, () => Promise<FunctionComponent>>> = {
  '/failures': async () => (await import('./pages/failures.tsx')).FailuresPage,
  '/compose': async () => (await import('./pages/compose.tsx')).ComposePage,
  '/statistics': async () => (await import('./pages/statistics.tsx')).StatisticsPage,
  '/reports': async () => (await import('./pages/reports.tsx')).ReportsPage,
  '/inbound': async () => (await import('./pages/inbound.tsx')).InboundPage,
  '/accounts': async () => (await import('./pages/accounts.tsx')).AccountsPage,
  '/registry': async () => (await import('./pages/registry.tsx')).RegistryPage,
  '/templates': async () => (await import('./pages/templates.tsx')).TemplatesPage,
  '/files': async () => (await import('./pages/files.tsx')).FilesPage,
  '/reservations': async () => (await import('./pages/reservations.tsx')).ReservationsPage,
  '/forms': async () => (await import('./pages/forms.tsx')).FormsPage,
  '/optouts': async () => (await import('./pages/optouts.tsx')).OptOutsPage,
  '/carriers': async () => (await import('./pages/carriers.tsx')).CarriersPage,
  '/routes': async () => (await import('./pages/routes.tsx')).RoutesPage,
  '/webhooks': async () => (await import('./pages/webhooks.tsx')).WebhooksPage,
  '/simulator': async () => (await import('./pages/simulator.tsx')).SimulatorPage,
  '/operators': async () => (await import('./pages/operators.tsx')).OperatorsPage,
  '/nodes': async () => (await import('./pages/nodes.tsx')).NodesPage,
  '/audit': async () => (await import('./pages/audit.tsx')).AuditPage,
};

/** Of one thing in a list. */
const LAZY_DETAILS: readonly (readonly [RegExp, () => Promise<FunctionComponent>])[] = [
  [/^\/templates\//, async () => (await import('./pages/templates.tsx')).TemplatesPage],
  [/^\/webhooks\/[^/]+$/, async () => (await import('./pages/webhook-delivery.tsx')).WebhookDeliveryPage],
];

export function CurrentPage() {
  const { path } = useRouter();
  const msgKey = /^\/messages\/([^/]+)$/.exec(path)?.[1];
  if (path === '/') return <LivePage />;
  if (path === '/messages') return <MessagesPage />;
  if (msgKey !== undefined) return <MessagePage key={msgKey} msgKey={decodeURIComponent(msgKey)} />;
  const load = LAZY_PAGES[path] ?? LAZY_DETAILS.find(([pattern]) => pattern.test(path))?.[1];
  return load ? <LazyPage key={path} load={load} /> : <NotFoundPage />;
}

function LazyPage({ load }: { load: () => Promise<FunctionComponent> }) {
  const [Loaded, setLoaded] = useState<FunctionComponent | undefined>();
  const [refusal, setRefusal] = useState<Refusal | undefined>();
  useEffect(() => {
    let isLeft = false;
    load().then(
      component => {
        if (!isLeft) setLoaded(() => component);
      },
      // For example after an update of the gateway: this page still refers to files of the old build.
      error => setRefusal(asRefusal(error)),
    );
    return () => {
      isLeft = true;
    };
  }, [load]);
  if (refusal) return <RefusalNotice refusal={refusal} onRetry={() => location.reload()} />;
  return Loaded ? <Loaded /> : <Loading />;
}
