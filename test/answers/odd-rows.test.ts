import { afterEach, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  type Answering,
  data,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

let stack: Stack;
afterEach(() => stack.close());

/** Asks with one answer for every upstream call; gives the data, and path and code of each error. */
const ask = async (document: string, answering: Answering) => {
  stack = await startStack({ management: answering, observability: answering });
  const { body } = await stack.query(document);
  return {
    data: body.data,
    errors: (body.errors ?? [])
      .map((error: AnswerError) => [error.path.join('.'), error.extensions.code])
      .sort(),
  };
};

describe('rows that cannot be told apart are left out, the others kept, and it is logged:', () => {
  const rows = (name: string) => [
    { id: 'x1', name: `${name} 1` },
    { name: 'nameless' },
    { id: null, name: 'with null' },
    { id: 7, name: 'with a number' },
    { id: '', name: 'with an empty id' },
    null,
    'text',
    [],
    { id: 'x2', name: `${name} 2` },
  ];
  const kept = (name: string) => [{ name: `${name} 1` }, { name: `${name} 2` }];

  it.each([
    ['management', 'listPipes', `{ service(${ids}) { pipes { name } } }`, ['service', 'pipes']],
    [
      'management',
      'listServices',
      `{ organization(id: "${organizationId}") { services { name } } }`,
      ['organization', 'services'],
    ],
    ['management', 'listOrganizations', '{ organizations { name } }', ['organizations']],
    ['observability', 'listDashboards', '{ dashboards { name } }', ['dashboards']],
    ['observability', 'listAlerts', '{ alerts { name } }', ['alerts']],
  ])('%s.%s', async (upstream, operation, document, path) => {
    const answer = await ask(document, (call) =>
      call.upstream === 'management' ? result(rows('row')) : data(rows('row')),
    );
    expect(answer.errors).toEqual([]);
    const list = path.reduce((value, name) => value[name], answer.data);
    expect(list).toEqual(kept('row'));
    const lines = stack
      .complaints()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ level: 40, upstream, operation, rows: 7 }]);
    expect(stack.complaints()).not.toContain('nameless');
  });

  it('invitations', async () => {
    const answer = await ask(
      `{ organization(id: "${organizationId}") { invitations { email } } }`,
      () => result([{ email: 'a@x.example' }, { id: 'i1', email: 'b@x.example' }]),
    );
    expect(answer).toEqual({
      data: { organization: { invitations: [{ email: 'b@x.example' }] } },
      errors: [],
    });
    expect(stack.complaints()).toContain('listInvitations');
  });

  it('tiles of a dashboard', async () => {
    const answer = await ask('{ dashboard(id: "d1") { tiles { name } } }', () =>
      data({ id: 'd1', tiles: rows('tile') }),
    );
    expect(answer.errors).toEqual([]);
    expect(answer.data.dashboard.tiles).toEqual(kept('tile'));
  });
});

it('a list without an odd row is logged nowhere', async () => {
  await ask('{ alerts { name } }', () => data([{ id: 'a1' }, { id: 'a2' }]));
  expect(stack.complaints()).toBe('');
});

it('an identifier of a row that leads nowhere is the upstream’s fault, not the caller’s', async () => {
  const answer = await ask('{ organizations { name services { id } } }', () =>
    result([{ id: 'org-1', name: 'one' }]),
  );
  expect(answer.data.organizations).toEqual([{ name: 'one', services: null }]);
  expect(answer.errors).toEqual([['organizations.0.services', 'UPSTREAM_BAD_RESPONSE']]);
});
