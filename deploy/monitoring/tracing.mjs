// Loads an SDK of OpenTelemetry ahead of the gateway: NODE_OPTIONS="--import /etc/bongsu/tracing.mjs".
// In the folder of this file: npm install @opentelemetry/sdk-node
// Its settings are the environment variables OTEL_…, such as OTEL_SERVICE_NAME and OTEL_EXPORTER_OTLP_ENDPOINT.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  new NodeSDK().start();
}
