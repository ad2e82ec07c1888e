import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answering, paced, startStack } from '../support/harness.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const upstream = createBackend(
  worldOf({
    organizations: 1,
    services: 1,
    pipesPerService: 1,
    dashboards: 1,
    tilesPerDashboard: 1,
    alerts: 1,
  }),
);
const alertsDocument = '{ alerts { name } }';
const invitations = withIds('{ organization(id: "organization-1") { invitations { email } } }');

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

const open = async (
  config: Partial<Config> = {},
  observability: Answering = upstream.observability,
) => {
  const stack = await startStack({
    management: upstream.management,
    observability,
    config: { ...paced, ...config },
  });
  onTestFinished(() => stack.close());
  const ask = async (document: string, headers: Readonly<Record<string, string>> = {}) => {
    const { body } = await stack.query(document, {
      headers: { 'sluice-explain': '1', ...headers },
    });
    return body.extensions.budget;
  };
  return { ask };
};

/** What is left, asked for without a call. */
const left = (
  ask: Awaited<ReturnType<typeof open>>['ask'],
  headers: Readonly<Record<string, string>> = {},
) => ask('{ __typename }', headers);

describe('extensions.budget tells how many calls are left', () => {
  it('of each upstream by itself, and more again once a window is over', async () => {
    const { ask } = await open();
    await ask(invitations);
    await ask(alertsDocument);
    clock.advance(9000);
    await ask('{ dashboards { name } }');
    expect(await left(ask)).toEqual({ management: 9, observability: 98 });
    clock.advance(1000);
    expect(await left(ask)).toEqual({ management: 10, observability: 98 });
    clock.advance(50_000);
    expect(await left(ask)).toEqual({ management: 10, observability: 99 });
    clock.advance(9000);
    expect(await left(ask)).toEqual({ management: 10, observability: 100 });
  });

  it('of the caller alone', async () => {
    const { ask } = await open();
    await ask(alertsDocument);
    const other = { 'observability-authorization': 'Bearer of-another' };
    expect(await left(ask, other)).toEqual({ management: 10, observability: 100 });
  });

  it('what the upstream says, where that is less', async () => {
    const { ask } = await open({}, async (call) => ({
      ...(await upstream.observability(call)),
      headers: {
        'content-type': 'application/json',
        'ratelimit-remaining': '7',
        'ratelimit-reset': '30',
      },
    }));
    await ask(alertsDocument);
    expect(await left(ask)).toEqual({ management: 10, observability: 7 });
    clock.advance(30_000);
    expect(await left(ask)).toEqual({ management: 10, observability: 99 });
  });

  it.each([
    ['management', { 'management-authorization': '' }, { management: null, observability: 100 }],
    [
      'observability',
      { 'observability-authorization': '' },
      { management: 10, observability: null },
    ],
    [
      'either',
      { 'management-authorization': '', 'observability-authorization': '' },
      { management: null, observability: null },
    ],
  ])('null for %s where no credential came for it', async (_, headers, expected) => {
    const { ask } = await open();
    expect(await left(ask, headers)).toEqual(expected);
  });

  it('null for a credential that is refused before any call', async () => {
    const { ask } = await open();
    const headers = { 'management-authorization': 'Bearer of-the-wrong-scheme' };
    expect(await left(ask, headers)).toEqual({ management: null, observability: 100 });
  });

  it.each([
    ['management', { managementRate: undefined }, { management: null, observability: 100 }],
    ['observability', { observabilityRate: undefined }, { management: 10, observability: null }],
  ] as const)('null for %s where its rate is off', async (_, config, expected) => {
    const { ask } = await open(config);
    expect(await left(ask)).toEqual(expected);
  });
});
