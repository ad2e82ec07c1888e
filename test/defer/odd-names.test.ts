import { expect, it, onTestFinished } from 'vitest';
import { data, result, stackInTest } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import { subscribe } from '../support/subscribe.ts';

const names = ['then', '__proto__', 'constructor', 'toString', 'toJSON', 'valueOf', 'length'];

/** @param member the name of a member that the upstream's objects have */
const start = async (member: string) => {
  const odd = `"${member}":{"${member}":"x"}`;
  const rows = `[{"id":"1"},{"id":"2",${odd},"tiles":[{"id":"t","name":"t",${odd}}]}]`;
  const answer = data('rows');
  const stack = await stackInTest({
    management: () => result([]),
    observability: () => ({ ...answer, body: answer.body.replace('"rows"', rows) }),
  });
  return stack;
};

// Compared as text, since no comparison of objects is right about `__proto__`.
it.each(
  names.flatMap((name) => [
    { name, alias: name, member: 'plain' },
    { name, alias: 'plain', member: name },
  ]),
)(
  '$name as an alias ($alias) or a member of a row ($member) changes nothing, with @defer, without it, and in an event',
  async ({ alias, member }) => {
    const stack = await start(member);
    const document = `{ ${alias}: dashboards { id ... @defer { ${alias}: tiles { ${alias}: name } } } }`;
    const whole = `{"${alias}":[{"id":"1","${alias}":null},{"id":"2","${alias}":[{"${alias}":"t"}]}]}`;
    const inParts = [
      `{"${alias}":[{"id":"1"},{"id":"2"}]}`,
      `{"${alias}":null}`,
      `{"${alias}":[{"${alias}":"t"}]}`,
    ];
    expect((await stack.query(document)).text).toBe(`{"data":${whole}}`);
    const parts = await askInParts(stack, document).ended;
    const came = parts.flatMap(({ data, incremental = [] }) => [
      ...(data ? [data] : []),
      ...incremental.map((part) => part.data),
    ]);
    // Yoga's executor would take objects with a key `then` for promises, so these do not come in parts.
    expect(came.map((each) => JSON.stringify(each))).toEqual(alias === 'then' ? [whole] : inParts);

    const stream = await subscribe(stack.url, `subscription { ${alias}: alerts { ${alias}: id } }`);
    onTestFinished(stream.leave);
    expect(JSON.stringify((await stream.event(1)).data)).toBe(
      `{"${alias}":[{"${alias}":"1"},{"${alias}":"2"}]}`,
    );
    expect(stack.complaints()).toBe('');
  },
);
