import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const states = [
  ...['Running', 'Snapshot', 'Stopping', 'Stopped', 'stopped', 'Paused', 'Failed', 'Completed'],
  ...['ALERT', 'Alert', 'OK', 'PENDING', 'INSUFFICIENT_DATA', 'DISABLED', 'active', 'Hibernating'],
  ...[null, undefined, 7],
];

/** The same states for services, pipes and alerts: each thing's name tells which it has. */
const things = states.map((state, index) => ({
  id: withIds(`pipe-${index + 1}`),
  name: String(state),
  state,
}));

const pipesPath = withIds('/v1/organizations/organization-1/services/service-1/pipes');
const service = withIds('service(organizationId: "organization-1", serviceId: "service-1")');

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result(things),
    observability: () => data(things),
  });
});
afterAll(() => stack.close());
beforeEach(() => void stack.calls.splice(0));

interface Listed {
  readonly names: readonly string[];
  readonly calls: readonly string[];
}

const organization = withIds('organization(id: "organization-1")');
const servicesPath = withIds('/v1/organizations/organization-1/services');

const list = {
  services: async (filter: unknown): Promise<Listed> => {
    const document = `query ($filter: ServiceFilter) { ${organization} {
      services(filter: $filter) { name } serviceCount(filter: $filter)
    } }`;
    const { body } = await stack.query(document, { variables: { filter } });
    expect(body.errors).toBeUndefined();
    const { services, serviceCount } = body.data.organization;
    expect(serviceCount).toBe(services.length);
    return { names: services.map(nameOf), calls: stack.callList() };
  },
  pipes: async (filter: unknown): Promise<Listed> => {
    const document = `query ($filter: PipeFilter) { ${service} { pipes(filter: $filter) { name } } }`;
    const { body } = await stack.query(document, { variables: { filter } });
    expect(body.errors).toBeUndefined();
    return { names: body.data.service.pipes.map(nameOf), calls: stack.callList() };
  },
  alerts: async (filter: unknown): Promise<Listed> => {
    const document = 'query ($filter: AlertFilter) { alerts(filter: $filter) { name } }';
    const { body } = await stack.query(document, { variables: { filter } });
    expect(body.errors).toBeUndefined();
    return { names: body.data.alerts.map(nameOf), calls: stack.callList() };
  },
};

const nameOf = ({ name }: { readonly name: string }): string => name;
const kinds = [
  ['services', [`GET ${servicesPath}`]],
  ['pipes', [`GET ${pipesPath}`]],
  ['alerts', ['GET /api/v2/alerts']],
] as const;

/** A text with some of its letters in the other case. */
const respelt = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) =>
      [...text]
        .map((letter, index) => (upper[index] ? letter.toUpperCase() : letter.toLowerCase()))
        .join(''),
    );

const texts = states.filter((state) => typeof state === 'string');

describe.each(kinds)('%s', (kind, calls) => {
  it('are found by their state in any case, and others are not', async () => {
    const wanted = fc.oneof(fc.constantFrom(...texts).chain(respelt), fc.string({ maxLength: 9 }));
    await fc.assert(
      fc.asyncProperty(wanted, async (state) => {
        stack.calls.splice(0);
        const expected = texts.filter((text) => text.toLowerCase() === state.toLowerCase());
        expect(await list[kind]({ state })).toEqual({ names: expected, calls });
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it.each([{ state: null }, { phaseIn: null }, {}, null])(
    'are all there under the filter %j',
    async (filter) => {
      expect(await list[kind](filter)).toEqual({ names: things.map(nameOf), calls });
    },
  );

  it('are none under an empty list of phases', async () => {
    expect(await list[kind]({ phaseIn: [] })).toEqual({ names: [], calls });
  });
});

it.each([
  ['RUNNING', ['Running', 'Snapshot']],
  [['CHANGING'], ['Stopping']],
  [['STOPPED'], ['Stopped', 'Paused']],
  [
    ['FAILED', 'COMPLETED', 'FAILED'],
    ['Failed', 'Completed'],
  ],
])('pipes whose phase is in %j', async (phaseIn, names) => {
  expect((await list.pipes({ phaseIn })).names).toEqual(names);
});

it.each([
  ['FIRING', ['ALERT']],
  [
    ['OK', 'PENDING'],
    ['OK', 'PENDING'],
  ],
  [['NO_DATA'], ['INSUFFICIENT_DATA']],
  [['DISABLED'], ['DISABLED']],
])('alerts whose phase is in %j', async (phaseIn, names) => {
  expect((await list.alerts({ phaseIn })).names).toEqual(names);
});

it('what no phase fits is UNKNOWN, and can be asked for', async () => {
  const { names } = await list.alerts({ phaseIn: ['UNKNOWN'] });
  const known = ['ALERT', 'OK', 'PENDING', 'INSUFFICIENT_DATA', 'DISABLED'];
  expect(names).toEqual(things.map(nameOf).filter((name) => !known.includes(name)));
});

it('a phase and a state must both be met', async () => {
  expect((await list.pipes({ phaseIn: ['STOPPED'], state: 'STOPPED' })).names).toEqual(['Stopped']);
  expect((await list.pipes({ phaseIn: ['RUNNING'], state: 'Stopped' })).names).toEqual([]);
});

it('a phase that the schema does not have is refused before any call', async () => {
  const document = 'query ($filter: AlertFilter) { alerts(filter: $filter) { name } }';
  const { body } = await stack.query(document, { variables: { filter: { phaseIn: ['RUNNING'] } } });
  expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(stack.calls).toEqual([]);
});
