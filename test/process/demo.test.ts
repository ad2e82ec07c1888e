import { describe, expect, it } from 'vitest';
import { printedBy, startDemo } from '../support/process/demo.ts';

describe('the demo with a setting that is wrong', () => {
  it.each([
    ['a port that is none', { PORT: 'abc' }, 'PORT must be a port from 0 to 65535, got "abc"'],
    [
      'a file that cannot be read',
      { PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_FILE: '/nope' },
      'PERSISTED_OPERATIONS_FILE "/nope" cannot be read',
    ],
    ['limits that are no switch', { SANDBOX_LIMITS: 'none' }, 'SANDBOX_LIMITS must be on or off'],
  ])('says so and ends: %s', async (_, env, message) => {
    const { ended } = startDemo([], env);
    expect(await ended).toEqual({ code: 1, errors: `demo: ${message}\n` });
  });
});

const argumentsRule =
  'the arguments are none, or --profile live (or --profile live-2.13, or --profile reference), --services 120 (from 1 to 1000), or both, or --help';

describe('the demo with arguments', () => {
  it.each([
    [['--profile', 'cloud']],
    [['--services', '0']],
    [['--services', '-5']],
    [['--services', 'abc']],
    [['--services', '100000']],
    [['--services']],
  ])('that there are not says so in one line and ends: %j', async (args) => {
    const { ended } = startDemo(args);
    expect(await ended).toEqual({ code: 1, errors: `demo: ${argumentsRule}\n` });
  });

  it('prints them with --help, and starts nothing', async () => {
    const { child, ended } = startDemo(['--help']);
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    expect(await ended).toEqual({ code: 0, errors: '' });
    expect(printed).toMatch(/^ {2}--services 120 +adds a fleet/m);
    expect(printed).not.toContain('GraphiQL');
  });
});

describe('the demo with a fleet', () => {
  it('says how large it is, and prints a line that works with its key', async () => {
    const printed = await printedBy(startDemo(['--services', '6', '--profile', 'live']));
    expect(printed).toMatch(
      /^ {2}fleet +6 services, 1 of them asleep {2}Management-Authorization: Basic ZGVtby1mbGVldC1rZXk6/m,
    );
    const [, url = '', credential = '', body = ''] =
      /^curl -s (\S+) .*-H 'Management-Authorization: (.*?)' .*-d '(.*)'$/m.exec(printed) ?? [];
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'management-authorization': credential },
      body: JSON.stringify({ query: JSON.parse(body).query.replace(/dashboards.*}/, '}') }),
    });
    const { data, errors } = await response.json();
    const [organization] = data.organizations;
    expect([organization.name, organization.services.length]).toEqual(['Tidewater Logistics', 6]);
    expect(errors).toMatchObject([{ extensions: { code: 'SERVICE_NOT_RUNNING' } }]);
  });

  it('is none by itself, and the demo says how to have one', async () => {
    expect(await printedBy(startDemo())).toContain(
      '\n  fleet           none (--services 120: an organization of 120 services)\n',
    );
  });
});

describe('the demo', () => {
  it.each([
    [
      'with its real limits',
      {},
      '10 requests in 10 s for each key, 100 a minute for each token',
      '100',
      { management: 10, observability: null },
    ],
    [
      'without limits',
      { SANDBOX_LIMITS: 'off' },
      'none, by SANDBOX_LIMITS=off',
      null,
      { management: null, observability: null },
    ],
  ])('runs %s, and says so', async (_, env, told, limit, budget) => {
    const printed = await printedBy(startDemo([], env));
    expect(printed).toMatch(new RegExp(`^ {2}limits +${told}`, 'm'));
    const url = /^ {2}observability +(\S+)/m.exec(printed)?.[1] ?? '';
    expect((await fetch(url)).headers.get('ratelimit-limit')).toBe(limit);
    const gateway = /^ {2}GraphiQL +(\S+)/m.exec(printed)?.[1] ?? '';
    const [, credential = ''] = /Management-Authorization: (Basic \S+)/.exec(printed) ?? [];
    const response = await fetch(gateway, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sluice-explain': '1',
        'management-authorization': credential,
      },
      body: JSON.stringify({ query: '{ __typename }' }),
    });
    expect(await response.json()).toMatchObject({ extensions: { budget } });
  });

  it('says which services it plays, and how to have the live ones', async () => {
    const printed = await printedBy(startDemo());
    expect(printed).toContain(
      "\n  profile         reference (--profile live: today's ClickHouse Cloud and HyperDX)\n",
    );
  });

  it('takes its profile from the arguments alone, as its sandbox does', async () => {
    const env = { MANAGEMENT_PROFILE: 'clickhouse-cloud', OBSERVABILITY_PROFILE: 'hyperdx' };
    const printed = await printedBy(startDemo([], env));
    const [, url = ''] = /GraphiQL +(\S+)/.exec(printed) ?? [];
    const [, query = ''] = /-d '(.*)'$/m.exec(printed) ?? [];
    const [, management = ''] = /Management-Authorization: (Basic \S+)/.exec(printed) ?? [];
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'management-authorization': management,
        'observability-authorization': 'Bearer demo-main-token',
      },
      body: query,
    });
    expect(await response.json()).not.toHaveProperty('errors');
  });

  it('tells the credentials that fail on purpose in two lines', async () => {
    const printed = await printedBy(startDemo());
    expect(printed.split('\n').filter((line) => line.includes('demo-429'))).toEqual([
      '  failing         demo-429, demo-500, demo-503, demo-524, demo-slow, demo-html, demo-cut fail on purpose, as a token',
      '                  (Bearer demo-429) or as key id and secret (Basic $(printf demo-429:demo-429 | base64))',
    ]);
  });
});
