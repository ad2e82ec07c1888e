// Modules that an operator loads before the gateway: OpenTelemetry's SDK, with instrumentations of node:http and undici.
import { register } from 'node:module';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);

const sdk = new NodeSDK({
  metricReaders: [],
  logRecordProcessors: [],
  instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation()],
});
sdk.start();
