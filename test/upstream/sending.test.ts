import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../src/upstream/breaker.ts';
import { createCallBudget } from '../../src/upstream/call-budget.ts';
import { createCallLog } from '../../src/upstream/call-log.ts';
import { CancellationSource } from '../../src/upstream/cancellation.ts';
import { createInFlight } from '../../src/upstream/in-flight.ts';
import { observability } from '../../src/upstream/interface.ts';
import { get, type PlaceIdentifiers } from '../../src/upstream/operation.ts';
import { compilePath } from '../../src/upstream/path.ts';
import { Rows } from '../../src/upstream/rows.ts';
import { createRequestSecrets } from '../../src/upstream/secrets.ts';
import { send } from '../../src/upstream/sending.ts';
import type { Receiver } from '../../src/upstream/transport.ts';
import { createTurns } from '../../src/upstream/turns.ts';

const unexpected = () => {
  throw new Error('unexpected');
};

/** Sends a read over a transport that ends it as told, for a caller who may have one call under way. */
const sendOnce = (
  end: (receiver: Receiver) => void,
  throwing?: 'onFailure' | 'breaker',
  place?: PlaceIdentifiers,
) => {
  const breaker = createBreaker({ failures: 9, halfOpenMs: 1, onChange: () => undefined });
  const operation = get('/api/v2/alerts').list(place);
  const budget = createCallBudget(10, 1, 1_000_000);
  const cancellation = new CancellationSource();
  const result = new Promise((resolve, reject) => {
    send(
      {
        api: observability,
        transport: { send: (_, __, receiver) => end(receiver), close: async () => undefined },
        turns: createTurns({ places: 1, maxWaiting: 0 }),
        breaker: throwing === 'breaker' ? { ...breaker, settle: unexpected } : breaker,
        maxRetries: 2,
        addresses: [],
        userAgent: 'test',
        extendedReads: true,
        onUnusableRows: () => undefined,
        onFailure: throwing === 'onFailure' ? unexpected : () => undefined,
      },
      {
        credential: { kind: 'given', value: 'Bearer one' },
        requestId: 'one',
        traceHeaders: [],
        calls: createCallLog(),
        secrets: createRequestSecrets([]),
        arrivals: { any: false },
        budget,
        cancellation,
      },
      {
        row: { name: 'listAlerts', operation, path: compilePath(operation.path) },
        ids: {},
        path: operation.path,
        body: undefined,
      },
      cancellation,
      { resolve, reject },
    );
  });
  return { result, next: () => budget.begin(cancellation) };
};

describe('a call whose end cannot be told', () => {
  const ok = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"data":[]}'),
  };

  it.each([
    ['it failed', (receiver: Receiver) => receiver.failed(new Error('gone'), 1), 'onFailure'],
    ['it was answered', (receiver: Receiver) => receiver.answered(ok), 'breaker'],
  ] as const)('fails all the same, and makes room for the next: %s', async (_, end, throwing) => {
    const { result, next } = sendOnce(end, throwing);
    await expect(result).rejects.toThrow('unexpected');
    expect(next()).toBeUndefined();
  });
});

it('puts identifiers into rows whether they are picked or read with their list', async () => {
  const body = Buffer.from('{"data":[{"id":"a"},{"id":"b"},{"id":"c"}]}');
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, body };
  const place: PlaceIdentifiers = (record) => {
    record.place = 'here';
  };
  const rows = await sendOnce((receiver) => receiver.answered(answer), undefined, place).result;
  if (!(rows instanceof Rows)) throw new Error('a list is read as rows');
  expect([...rows.pick(['b']).values()]).toEqual([{ id: 'b', place: 'here' }]);
  expect(rows.all()).toEqual(['a', 'b', 'c'].map((id) => ({ id, place: 'here' })));
});

it('gives a shared read up when all who still wait for it have left', () => {
  const inFlight = createInFlight();
  const [gone, live] = [new CancellationSource(), new CancellationSource()];
  gone.cancel('gone');
  let own: CancellationSource | undefined;
  const join = (cancellation: CancellationSource) =>
    inFlight
      .join('Bearer one', '/path', cancellation, {
        budget: createCallBudget(1, 1),
        start: (given) => {
          own = given as CancellationSource;
        },
        ended: () => undefined,
        refuse: () => undefined,
        givenUp: () => new Error('given up'),
      })
      .result.catch(() => undefined);
  join(live);
  join(gone);
  expect(own?.reason).toBeUndefined();
  live.cancel('gone');
  expect(own?.reason).toBe('gone');
});
