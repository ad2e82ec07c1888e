import { stackInTest } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

export const basic = 'Basic a2V5LWlkOmtleS1zZWNyZXQ=';
export const bearer = 'Bearer token-of-the-caller';
export const path = (text: string): string => JSON.parse(withIds(JSON.stringify(text)));
export const organization = path('/v1/organizations/organization-1');
export const services = `${organization}/services`;
export const service = path(`${services}/service-1`);

type Options = NonNullable<Parameters<typeof stackInTest>[0]>;

/** A gateway with a door, and a function that calls it. */
export const open = async (options: Options = {}) => {
  const stack = await stackInTest({
    ...options,
    config: { rest: 'write', ...options.config },
  });
  const { origin } = new URL(stack.url);
  const call = async (target: string, init: RequestInit = {}) => {
    const headers = new Headers({
      authorization: target.startsWith('/obs') ? bearer : basic,
      ...Object.fromEntries(new Headers(init.headers)),
    });
    if (headers.get('authorization') === '') headers.delete('authorization');
    const response = await fetch(origin + target, { ...init, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const write = (method: string, target: string, body: unknown = {}) =>
    call(target, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const paths = () => stack.calls.map((each) => `${each.method} ${each.path}`);
  return { ...stack, call, write, paths, origin };
};
