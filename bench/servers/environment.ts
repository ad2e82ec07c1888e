/** What every server of the benchmark is told, by the same variables as the gateway. */
const variable = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is required`);
  return value;
};

export const host = '127.0.0.1';
export const port = (): number => Number(variable('PORT'));
export const managementUrl = (): string => variable('MANAGEMENT_URL');
export const observabilityUrl = (): string => variable('OBSERVABILITY_URL');

/** The Authorization value of each upstream, where one came. */
export interface Credentials {
  readonly management: string | undefined;
  readonly observability: string | undefined;
}

type HeaderOf = (name: string) => string | readonly string[] | null | undefined;

/** As the gateway does: an upstream's own header, else the plain one where its scheme fits. */
export const credentialsOf = (headerOf: HeaderOf): Credentials => {
  const credential = (name: string, scheme: string): string | undefined => {
    const own = headerOf(name);
    if (typeof own === 'string') return own;
    const plain = headerOf('authorization');
    return typeof plain === 'string' && plain.startsWith(scheme) ? plain : undefined;
  };
  return {
    management: credential('management-authorization', 'Basic '),
    observability: credential('observability-authorization', 'Bearer '),
  };
};
