import type { Fault } from '../faults.ts';
import { isUuid } from '../formats.ts';
import { Refusal } from '../refusal.ts';
import { type Call, routeFor } from '../routes.ts';
import type { Sequence } from '../sequence.ts';
import type { Pipe } from './pipe-shapes.ts';
import type {
  AccessEntry,
  BackupConfiguration,
  Invitation,
  Organization,
  Service,
} from './records.ts';

/** A pipe, and its next state: reads show it from the time `at` on, in milliseconds. */
export type PipeEntry<P = Pipe> = {
  record: P;
  change?: { readonly to: string; readonly at: number };
};

/** A tag of a service, in the live dialect. */
export type Tag = { readonly key: string; readonly value: string };

/** A service, with facts that the documented rules need but no answer shows. */
export type ServiceEntry<P = Pipe> = {
  record: Service;
  readonly kind: 'production' | 'development';
  readonly paid: boolean;
  backup: BackupConfiguration;
  readonly tags?: readonly Tag[];
  /** It is idle, so its pipes cannot even be read. */
  readonly isAsleep?: boolean;
  readonly pipes: Map<string, PipeEntry<P>>;
};

/** An organization and everything that belongs to it. */
export type OrganizationEntry<P = Pipe> = {
  record: Organization;
  readonly invitations: readonly Invitation[];
  readonly services: Map<string, ServiceEntry<P>>;
};

/** An API key as the interface stores it: base64 SHA-256 digests of its id and secret. */
export type ApiKey = {
  readonly id: string;
  readonly name: string;
  readonly keySuffix: string;
  readonly createdAt: string;
  readonly organizationId: string;
  readonly idHash: string;
  readonly secretHash: string;
  readonly roles: readonly string[];
  readonly state: 'enabled' | 'disabled';
  readonly expireAt?: string;
  readonly usedAt?: string;
  readonly ipAccessList: readonly AccessEntry[];
  /** How it fails on purpose. */
  readonly fault?: Fault;
};

/** The whole state of the management interface; `P` is the pipe in the interface's dialect. */
export type ManagementState<P = Pipe> = {
  readonly organizations: Map<string, OrganizationEntry<P>>;
  /** By `idHash`. */
  readonly keys: Map<string, ApiKey>;
  readonly clock: () => Date;
  readonly sequence: Sequence;
  /** How long a pipe takes to reach the state of a command. */
  readonly transitionMs: number;
};

/** Makes a route of the management interface. */
export const route = routeFor<ApiKey>();

const required = <T>(thing: T | undefined, name: string): T => {
  if (thing === undefined) throw new Refusal(404, `${name} not found`);
  return thing;
};

/** The error of any operation on the pipes of a service that is not running. */
export const notRunning = (state: string): Refusal =>
  new Refusal(424, `it is ${state}; start it, or send it the command awake`);

const wellFormed = <Name extends string>(
  ids: Readonly<Record<Name, string>>,
  name: Name,
): string => {
  const id = ids[name];
  if (!isUuid(id)) throw new Refusal(400, `${name} must be a UUID`);
  return id;
};

type OrganizationCall = Call<ApiKey, 'organizationId'>;
type ServiceCall = Call<ApiKey, 'organizationId' | 'serviceId'>;
type PipeCall = Call<ApiKey, 'organizationId' | 'serviceId' | 'pipeId'>;

/**
 * The organization of the path. The answer is the same for an unknown organization and for one of another key, so that a key
 * learns nothing about other organizations.
 */
export const findOrganization = <P>(
  state: ManagementState<P>,
  { caller, ids }: OrganizationCall,
): OrganizationEntry<P> => {
  const id = wellFormed(ids, 'organizationId');
  const own = id === caller.organizationId ? state.organizations.get(id) : undefined;
  return required(own, 'organization');
};

/** The service of the path, in its organization. */
export const findService = <P>(state: ManagementState<P>, call: ServiceCall): ServiceEntry<P> => {
  const { services } = findOrganization(state, call);
  return required(services.get(wellFormed(call.ids, 'serviceId')), 'service');
};

/** The service of the path, if it is awake. */
export const findAwakeService = <P>(
  state: ManagementState<P>,
  call: ServiceCall,
): ServiceEntry<P> => {
  const service = findService(state, call);
  if (service.isAsleep) throw notRunning('idle');
  return service;
};

/** The pipe of the path, in its service. */
export const findPipe = <P>(state: ManagementState<P>, call: PipeCall): PipeEntry<P> => {
  const { pipes } = findAwakeService(state, call);
  return required(pipes.get(wellFormed(call.ids, 'pipeId')), 'pipe');
};
