import { SluiceError } from '@sluice/client';
import { useMemo, useState } from 'react';
import type { Entry } from './arrange.ts';
import {
  OrganizationsDocument,
  type OrganizationsQuery,
  type PipeFieldsFragment,
  type PipePhase,
  PipesDocument,
  type PipesSubscription,
} from './generated/operations.ts';
import { type Follow, type Live, useLive } from './use-live.ts';

/** An organization that the key may see. */
export type Organization = NonNullable<OrganizationsQuery['organizations']>[number];

type Services = NonNullable<NonNullable<PipesSubscription['organization']>['services']>;

interface PipesData {
  readonly organizations: readonly Organization[];
  /** The organization that is followed; undefined where there is none. */
  readonly organization: Organization | undefined;
  /** Null where the services could not be read. */
  readonly services: Services | null;
}

/** A pipe with the name of its service. */
export interface PipeEntry extends Entry<PipePhase> {
  readonly nodeId: string;
  readonly pipe: PipeFieldsFragment;
}

export interface Pipes {
  readonly live: Live<PipesData>;
  readonly entries: readonly PipeEntry[];
  /** Follows another organization. */
  readonly choose: (organizationId: string) => void;
}

const follow = (chosen: string | undefined): Follow<PipesData> =>
  async function* (client, options) {
    const { signal } = options;
    const { data, errors } = await client.execute(OrganizationsDocument, {}, { signal });
    const [first, ...others] = errors;
    if (first) throw new SluiceError([first, ...others]);
    const organizations = data?.organizations ?? [];
    const organization = organizations.find(({ id }) => id === chosen) ?? organizations[0];
    if (!organization) {
      yield { data: { organizations, organization, services: [] }, errors, extensions: undefined };
      return;
    }
    const variables = { organizationId: organization.id };
    for await (const answer of client.subscribe(PipesDocument, variables, options)) {
      const services = answer.data?.organization?.services ?? null;
      yield { ...answer, data: { organizations, organization, services } };
    }
  };

const entriesOf = (services: Services | null | undefined): readonly PipeEntry[] =>
  (services ?? []).flatMap((service) =>
    (service.pipes ?? []).map((pipe) => ({
      nodeId: pipe.nodeId,
      name: pipe.name ?? 'Unnamed pipe',
      place: service.name ?? 'Unnamed service',
      phase: pipe.phase,
      pipe,
    })),
  );

/** The pipes of one organization, kept current over one connection. */
export const usePipes = (): Pipes => {
  const [chosen, choose] = useState<string>();
  const live = useLive(
    'management',
    useMemo(() => follow(chosen), [chosen]),
  );
  const services = live.data?.services;
  const entries = useMemo(() => entriesOf(services), [services]);
  // Each problem of a part names the service that it is about.
  const problems = live.problems.map((problem) => {
    const [, , index] = problem.path ?? [];
    const service = typeof index === 'number' ? services?.[index] : undefined;
    if (!service) return problem;
    return { ...problem, message: `Pipes of ${service.name ?? 'a service'}: ${problem.message}` };
  });
  return { live: { ...live, problems }, entries, choose };
};
