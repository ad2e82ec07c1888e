import { beforeEach, describe, expect, it } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import { data } from '../support/harness.ts';
import {
  begin,
  control,
  countingReads,
  document,
  shown,
  startPaced,
} from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

describe('a read under way', () => {
  const alerts = (name: string) => data([{ id: 'a1', name }]);

  it('that was sent before a request came does not answer it if it says no-cache', async () => {
    const gate = createGate();
    const stack = await startPaced(gate.answering);
    const before = stack.query(document);
    const first = await gate.arrived(1);
    clock.advance(1);
    const strict = stack.query(document, { headers: control('no-cache') });
    const second = await gate.arrived(2);
    clock.advance(1);
    // Sent since this one came, but not since the next one.
    const joining = await begin(stack, 'observability', 'alerts { name }');
    const stricter = stack.query(document, { headers: control('max-age=0') });
    const third = await gate.arrived(3);
    // The newest answer serves all who came before.
    third.answer(alerts('third'));
    const answers = await Promise.all([before, strict, joining.answer, stricter]);
    expect(answers.map((answer) => shown(answer).name)).toEqual(answers.map(() => 'third'));
    second.answer(alerts('second'));
    first.answer(alerts('first'));
    expect(gate.calls).toHaveLength(3);
  });

  it('answers a request that says max-age if it was sent since then', async () => {
    const gate = createGate();
    const stack = await startPaced(gate.answering);
    const before = stack.query(document);
    const first = await gate.arrived(1);
    clock.advance(2000);
    const joining = await begin(stack, 'observability', 'alerts { name }', control('max-age=2'));
    const apart = stack.query(document, { headers: control('max-age=1') });
    const second = await gate.arrived(2);
    first.answer(alerts('first'));
    for (const answer of await Promise.all([before, joining.answer])) {
      expect(shown(answer)).toEqual({ name: 'first', age: null });
    }
    second.answer(alerts('second'));
    expect(shown(await apart).name).toBe('second');
    expect(gate.calls).toHaveLength(2);
  });

  it('that waits to be sent answers every request that came before', async () => {
    const stack = await startPaced(countingReads(), {
      observabilityRate: { calls: 1, windowMs: 10_000 },
    });
    await stack.query('{ alert(id: "a1") { id name } }');
    const waiting = stack.query(document);
    const strict = stack.query(document, { headers: control('no-cache') });
    const stricter = stack.query(document, { headers: control('max-age=0') });
    for (const answer of await clock.until(Promise.all([waiting, strict, stricter]))) {
      expect(shown(answer)).toEqual({ name: 'read 2', age: null });
    }
    expect(stack.calls.map(({ path }) => path)).toEqual(['/api/v2/alerts/a1', '/api/v2/alerts']);
  });
});

it('no-cache is answered by another request’s read that was sent after it came', async () => {
  const backend = createBackend(
    worldOf({
      organizations: 1,
      services: 1,
      pipesPerService: 1,
      dashboards: 0,
      tilesPerDashboard: 0,
      alerts: 0,
    }),
  );
  const gate = createGate();
  const stack = await startPaced(backend.observability, {}, (call) =>
    call.path.endsWith('/services') ? gate.answering(call) : backend.management(call),
  );
  const page = withIds('{ organization(id: "organization-1") { services { pipes { name } } } }');
  const strict = stack.query(page, { headers: control('no-cache') });
  const list = await gate.arrived(1);
  clock.advance(1000);
  await stack.query(
    withIds(
      '{ service(organizationId: "organization-1", serviceId: "service-1") { pipes { name } } }',
    ),
  );
  clock.advance(1000);
  list.answer(await backend.management(list.call));
  const { body, headers } = await strict;
  expect(body.data.organization.services).toEqual([{ pipes: [{ name: 'Pipe 1' }] }]);
  expect(headers.get('age')).toBe('1');
  const services = 'GET /v1/organizations/organization-1/services';
  expect(stack.callList().map(withNames)).toEqual([services, `${services}/service-1/pipes`]);
});

describe('where no call is left, five seconds after a read,', () => {
  const late = async (value: string | undefined, pacingWaitMs: number) => {
    const stack = await startPaced(countingReads(), {
      observabilityRate: { calls: 1, windowMs: 10_000 },
      pacingWaitMs,
    });
    await stack.query(document);
    clock.advance(5000);
    const headers = value === undefined ? {} : control(value);
    const { body, headers: answered } = await clock.until(stack.query(document, { headers }));
    return { ...shown({ body, headers: answered }), ...body.extensions, error: body.errors?.[0] };
  };

  it.each([undefined, 'max-age=5', 'max-age=60', 'no-transform'])(
    'a request that says %j has what was read',
    async (value) => {
      expect(await late(value, 25_000)).toEqual({ name: 'read 1', age: '5', staleSeconds: 5 });
    },
  );

  it.each(['no-cache', 'max-age=0', 'max-age=4', 'no-store', 'max-age=abc'])(
    'one that says %j waits for a new read',
    async (value) => {
      expect(await late(value, 25_000)).toEqual({ name: 'read 2', age: null });
    },
  );

  it.each(['no-cache', 'max-age=4'])(
    'one that says %j is refused rather than shown what was read',
    async (value) => {
      const { name, age, error } = await late(value, 1000);
      expect({ name, age }).toEqual({ name: undefined, age: null });
      expect(error.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 5 });
    },
  );
});
