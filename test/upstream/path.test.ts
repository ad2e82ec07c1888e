import fc from 'fast-check';
import { expect, it } from 'vitest';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import { checkIdentifier, compilePath, token, uuid } from '../../src/upstream/path.ts';

const templates = [
  ...Object.values(managementOperations('command')).map(({ path }) => ({ path, alphabet: uuid })),
  ...Object.values(observabilityOperations).map(({ path }) => ({ path, alphabet: token })),
];

/** As a server would see the path: whatever a URL parser makes of it. */
const asParsed = (path: string): string => {
  const { pathname, search, hash } = new URL(path, 'http://upstream.test');
  return pathname + search + hash;
};

const identifier = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.stringMatching(/^[./%?#\\\0 ;:@&=+2eEfF]{0,40}$/),
  fc.uuid().map((id) => `${id}/..`),
  fc.constantFrom('', '.', '..', '%2e%2e', '..%2f', '__proto__', 'x'.repeat(10_240)),
);

it.each(templates)(
  '$path is left by no identifier: it is refused, or the path has its shape',
  ({ path: template, alphabet }) => {
    const { parameters, fill } = compilePath(template);
    fc.assert(
      fc.property(fc.array(identifier, { minLength: 3, maxLength: 3 }), (values) => {
        const ids = Object.fromEntries(parameters.map((name, at) => [name, values[at] ?? '']));
        if (parameters.some((name) => checkIdentifier(name, ids[name], alphabet))) return;
        const path = fill(ids);
        expect(asParsed(path)).toBe(path);
        const shape = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([A-Za-z0-9_-]+)')}$`);
        expect(path.match(shape)?.slice(1)).toEqual(parameters.map((name) => ids[name]));
      }),
      { numRuns: 300 },
    );
  },
);

it.each([
  ...['', '..', '%2e', 'a/b', 'a?b', 'a#b', 'a\0b', 'ä', ' a', 'a\n', 'a'.repeat(129)],
  ...[undefined, 7, {}],
])('%j is no identifier of either upstream', (value) => {
  for (const alphabet of [token, uuid]) {
    expect(checkIdentifier('id', value, alphabet)).toBeDefined();
  }
});

it('a refusal names 64 characters of what came', () => {
  expect(checkIdentifier('id', 'y'.repeat(10_000), uuid)?.message.length).toBeLessThan(160);
});
