import { graphql } from 'graphql';
import { createWorld } from './backend/world.ts';
import type { BenchOperation } from './operations.ts';
import type { Reads } from './servers/reads.ts';
import { createSchema } from './servers/schema.ts';

const schema = createSchema();

/**
 * The answer that every server has to give: what graphql-js itself makes of the gateway's SDL and of the
 * backend's records, without any HTTP in between.
 */
export const expectedAnswer = async ({ query, variables }: BenchOperation): Promise<unknown> => {
  const world = createWorld();
  const found = <Item extends { readonly id?: string | null }>(
    items: readonly Item[],
    id: string,
  ) => {
    const item = items.find((candidate) => candidate.id === id);
    if (!item) throw new Error(`The backend has no ${id}`);
    return item;
  };
  const reads: Partial<Reads> = {
    service: async () => world.service,
    backupConfiguration: async () => world.backupConfiguration,
    pipes: async () => world.pipes,
    invitations: async () => world.invitations,
    alerts: async () => world.alerts,
    alert: async (id) => found(world.alerts, id),
    dashboard: async (id) => found(world.dashboards, id),
  };
  const answer = await graphql({
    schema,
    source: query,
    variableValues: variables,
    contextValue: { reads },
  });
  if (answer.errors) throw new AggregateError(answer.errors, 'The expected answer has errors');
  // As it looks after a journey over HTTP.
  return JSON.parse(JSON.stringify(answer));
};
