import { createBudget, type OperationBudget } from '../../../src/upstream/budget.ts';
import type { Answer, Call, Caller } from '../../../src/upstream/call.ts';
import type { CallLog } from '../../../src/upstream/fate.ts';
import { createCallLog } from '../../../src/upstream/fates/explain.ts';
import { createFates } from '../../../src/upstream/fates/index.ts';
import { observability } from '../../../src/upstream/interface.ts';
import { type AnyOperation, del, get } from '../../../src/upstream/operation.ts';
import { endless } from '../../../src/upstream/operation-time.ts';
import { compilePath } from '../../../src/upstream/path.ts';
import type { ReadCall } from '../../../src/upstream/reads/read-call.ts';
import { createAges, createProgress, createWaits } from '../../../src/upstream/request-facts.ts';
import type { Row } from '../../../src/upstream/row.ts';
import { createRequestSecrets } from '../../../src/upstream/secrets.ts';

export const createTestBudget = (
  maxUpstreamCalls = 100,
  maxUpstreamBytes = 1_000_000,
): OperationBudget => createBudget({ maxUpstreamCalls, maxUpstreamBytes });

/** One request to the gateway; `leave` cancels it. */
interface TestCaller extends Caller {
  readonly calls: CallLog<Call>;
  readonly leave: (reason?: 'AbortError' | 'TimeoutError') => void;
}

interface TestCallerOptions {
  readonly budget?: OperationBudget;
  readonly secrets?: readonly string[];
  readonly requestId?: string;
}

export const createTestCaller = (options: TestCallerOptions = {}): TestCaller => {
  const controller = new AbortController();
  return {
    credential: { kind: 'given', value: 'Bearer one' },
    requestId: options.requestId ?? 'request',
    traceId: undefined,
    traceHeaders: [],
    calls: createCallLog(),
    tell: createFates({ onSent: () => undefined }).tell,
    secrets: createRequestSecrets(options.secrets ?? []),
    budget: options.budget ?? createTestBudget(),
    signal: controller.signal,
    arrivedAt: performance.now(),
    time: endless,
    later: () => ({ signal: controller.signal, deadline: Infinity }),
    readAfter: -Infinity,
    ages: createAges(),
    waits: createWaits(),
    progress: createProgress(),
    reads: new Map(),
    leave: (reason = 'AbortError') => controller.abort(new DOMException('gone', reason)),
  };
};

const rowOf = (name: string, operation: AnyOperation, changes: readonly string[] = []): Row => ({
  api: observability,
  name,
  operation,
  path: compilePath(operation.path),
  takesIds: operation.path.includes('{'),
  changes: changes.map(compilePath),
});

/** A read for this caller. */
export const readOf = (
  caller: Caller = createTestCaller(),
  changes: Partial<ReadCall> = {},
): ReadCall => ({
  id: {},
  row: rowOf('listAlerts', get('/api/v2/alerts', { freshSeconds: 3 }).list()),
  ids: {},
  path: '/api/v2/alerts',
  body: undefined,
  credential: 'Bearer one',
  holder: changes.credential ?? 'Bearer one',
  caller,
  signal: caller.signal,
  mustBeSent: false,
  priority: 'read',
  latest: Infinity,
  ...changes,
});

/** A write for this caller. */
export const writeOf = (
  caller: Caller = createTestCaller(),
  changes: Partial<ReadCall> = {},
): ReadCall => ({
  ...readOf(caller, changes),
  row: rowOf(
    'deleteDashboard',
    del('/api/v2/dashboards/{dashboardId}', { changes: ['listAlerts'] }).nothing(),
    ['/api/v2/alerts'],
  ),
  priority: 'write',
  path: '/api/v2/dashboards/d1',
  ...changes,
});

export const answerOf = (body = '{"data":[]}', status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(body),
  sentAt: performance.now(),
});

/** Lets all pending promises settle. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
