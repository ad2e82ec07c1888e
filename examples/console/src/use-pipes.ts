import { SluiceError, type SluiceProblem } from '@sluice/client';
import { useMemo, useState } from 'react';
import type { Entry } from './arrange.ts';
import {
  OrganizationsDocument,
  type OrganizationsQuery,
  type PipeFieldsFragment,
  type PipePhase,
  PipesDocument,
  type PipesSubscription,
  type ServiceFieldsFragment,
  type ServicePhase,
} from './generated/operations.ts';
import { isFailure } from './problems.ts';
import { type Follow, type Keep, type Live, useLive } from './use-live.ts';
import type { RowPhase } from './words.ts';

/** An organization that the key may see. */
export type Organization = NonNullable<OrganizationsQuery['organizations']>[number];

type Services = NonNullable<NonNullable<PipesSubscription['organization']>['services']>;

interface PipesData {
  readonly organizations: readonly Organization[];
  /** The selected organization; undefined if there is none. */
  readonly organization: Organization | undefined;
  /** Null if the services could not be read. */
  readonly services: Services | null;
}

/** A pipe with the name of its service. */
export interface PipeEntry extends Entry<PipePhase> {
  readonly nodeId: string;
  readonly pipe: PipeFieldsFragment;
}

/** A service whose pipes are not known yet, or cannot be read. */
export interface UnreadEntry extends Entry<Exclude<RowPhase, PipePhase>> {
  readonly nodeId: string;
  readonly pipe?: never;
}

/** A service with its region. */
export interface ServiceEntry extends Entry<ServicePhase> {
  readonly nodeId: string;
  readonly service: ServiceFieldsFragment;
}

export interface Pipes {
  readonly live: Live<PipesData>;
  readonly entries: readonly (PipeEntry | UnreadEntry)[];
  readonly services: readonly ServiceEntry[];
  /** Selects another organization. */
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
      yield {
        ...answer,
        data: { organizations, organization, services },
        isUnread: !services,
      };
    }
  };

const nameOf = ({ name }: Pick<ServiceFieldsFragment, 'name'>): string => name ?? 'Unnamed service';

const isAsleep = ({ code }: SluiceProblem): boolean => code === 'SERVICE_NOT_RUNNING';

/** The problem of each service with the reading of its pipes, by the service's index. */
const problemsOf = (problems: readonly SluiceProblem[]) =>
  new Map(problems.map((problem) => [problem.path?.[2], problem]));

const keep: Keep<PipesData> = (before, { data, errors }) => {
  if (!data || before?.organization?.id !== data.organization?.id) return data ?? before;
  if (!data.services) return { ...data, services: before?.services ?? null };
  const problemOf = problemsOf(errors);
  const known = new Map(before?.services?.map(({ nodeId, pipes }) => [nodeId, pipes]));
  const services = data.services.map((service, index) => {
    const problem = problemOf.get(index);
    if (service.pipes || (problem && isAsleep(problem))) return service;
    return { ...service, pipes: known.get(service.nodeId) ?? null };
  });
  return { ...data, services };
};

const phaseFor = (problem: SluiceProblem | undefined): UnreadEntry['phase'] => {
  if (!problem || !isFailure(problem)) return 'WAITING';
  return isAsleep(problem) ? 'ASLEEP' : 'UNREADABLE';
};

const entriesOf = (
  services: Services | null | undefined,
  problems: readonly SluiceProblem[],
): Pipes['entries'] => {
  const problemOf = problemsOf(problems);
  return (services ?? []).flatMap((service, index): Pipes['entries'] => {
    const place = nameOf(service);
    if (!service.pipes) {
      const phase = phaseFor(problemOf.get(index));
      return [{ nodeId: service.nodeId, name: '', place, phase }];
    }
    return service.pipes.map((pipe) => ({
      nodeId: pipe.nodeId,
      name: pipe.name ?? 'Unnamed pipe',
      place,
      phase: pipe.phase,
      pipe,
    }));
  });
};

const serviceEntriesOf = (services: Services): Pipes['services'] =>
  services.map(({ pipes: _, ...service }) => ({
    nodeId: service.nodeId,
    name: nameOf(service),
    place: service.region ?? 'Region unknown',
    phase: service.phase,
    service,
  }));

const list = new Intl.ListFormat('en');

const listOf = (names: readonly string[]): string =>
  list.format(names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} others`] : names);

/** The failures, each with its services: equal failures are combined. `what` could not be read. */
export const failuresOf = (
  what: 'Pipes' | 'Backups' | 'Alerts',
  services:
    | readonly {
        readonly name: string | null;
        readonly pipes?: unknown;
        readonly alerts?: unknown;
      }[]
    | null
    | undefined,
  problems: readonly SluiceProblem[],
): readonly SluiceProblem[] =>
  [...Map.groupBy(problems, ({ message }) => message).values()].flatMap((alike) => {
    const concerned = alike.flatMap(({ path }) => services?.[Number(path?.[2])] ?? []);
    const of = concerned.length > 0 ? `${what} of ${listOf(concerned.map(nameOf))}: ` : '';
    const older = concerned.some(({ pipes, alerts }) => pipes || alerts)
      ? ' The list shows what was read before.'
      : '';
    return alike.slice(0, 1).map((first) => ({ ...first, message: of + first.message + older }));
  });

/** The pipes of one organization, kept up to date over one connection. */
export const usePipes = (): Pipes => {
  const [chosen, choose] = useState<string>();
  const live = useLive(
    'management',
    useMemo(() => follow(chosen), [chosen]),
    keep,
  );
  const { data, problems } = live;
  const services = data?.services;
  const entries = useMemo(() => entriesOf(services, problems), [services, problems]);
  // The rows of services that are not running already show this.
  const told = problems.filter((problem) => isFailure(problem) && !isAsleep(problem));
  const limited = problems.filter((problem) => !isFailure(problem));
  return {
    live: { ...live, problems: [...failuresOf('Pipes', services, told), ...limited] },
    entries,
    services: useMemo(() => serviceEntriesOf(services ?? []), [services]),
    choose,
  };
};
