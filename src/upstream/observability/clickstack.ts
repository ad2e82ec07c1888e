import { isObject } from '../../is-object.ts';
import type { AddIdentifiers } from '../operation.ts';

/** The identifiers of a service. */
export interface ServiceIds {
  readonly organizationId: string;
  readonly serviceId: string;
}

/**
 * The service in whose ClickStack an object is. It is a symbol, so that no answer can have the member, and no body sends it
 * back.
 */
export const stack = Symbol('stack');

/** An object that may be in the ClickStack of a service. */
export type InStack = { readonly [stack]?: ServiceIds | undefined };

/** The service among the identifiers of an object; undefined if it has none. */
export const stackIn = ({
  organizationId,
  serviceId,
}: Readonly<Record<string, string>>): ServiceIds | undefined =>
  organizationId !== undefined && serviceId !== undefined
    ? { organizationId, serviceId }
    : undefined;

/** Not enumerable, since an update compares the series of a tile with those of its `config`, which have no service. */
const mark = (value: unknown, service: ServiceIds): void => {
  if (Array.isArray(value)) for (const each of value) mark(each, service);
  else if (isObject(value)) Object.defineProperty(value, stack, { value: service });
};

/** Notes the service in a record, and in the objects that these members hold: links lead from them too. */
export const inStack =
  (...members: readonly string[]): AddIdentifiers =>
  (record, identifiers) => {
    const service = stackIn(identifiers);
    if (!service) return;
    // Enumerable, since copies of the record must have it too.
    (record as Record<symbol, unknown>)[stack] = service;
    for (const name of members) mark(record[name], service);
  };
