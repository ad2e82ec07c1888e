/** The gateway's settings, checked (design, section 7; the README has the table). */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** How many processes serve; 1 is this one. */
  readonly workers: number;
  readonly managementUrl: URL;
  readonly observabilityUrl: URL;
  readonly extendedReads: boolean;
  readonly shareInFlight: boolean;
  readonly introspection: boolean;
  readonly graphiql: boolean;
  /** Whether a request may ask for the list of its upstream calls. */
  readonly explain: boolean;
  readonly pipeStateCommandField: string;
}

/** All that is wrong with the environment, in one error. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from environment variables; an empty value counts as none.
 * @throws ConfigError with a sentence for every variable at fault.
 */
export const readConfig = (environment: Environment): Config => {
  const faults: string[] = [];
  const fault = (name: string, expected: string, value: string | undefined): void => {
    faults.push(
      value === undefined
        ? `${name} is required: ${expected}`
        : `${name} must be ${expected}, got ${JSON.stringify(value)}`,
    );
  };
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined;

  const url = (name: string): URL => {
    const expected = 'an http or https URL without query, fragment or credentials';
    const value = text(name);
    const parsed = value === undefined ? null : URL.parse(value);
    const usable =
      parsed !== null &&
      /^https?:$/.test(parsed.protocol) &&
      parsed.username + parsed.password + parsed.search + parsed.hash === '';
    if (usable) return parsed;
    // Credentials and tokens stand in these parts of a URL, also of one that cannot be parsed.
    const printable = value === undefined || !/[@?#]/.test(value);
    fault(name, expected, printable ? value : '(a value that may hold a secret)');
    return new URL('http://invalid.invalid');
  };

  const port = (name: string, fallback: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
      fault(name, 'a port from 0 to 65535', value);
    }
    return Number(value);
  };

  const workers = (name: string): number => {
    const value = text(name) ?? '1';
    // Hardly a machine has more cores, and a slip of the hand would cost all its memory.
    if (!/^[1-9]\d?$/.test(value) || Number(value) > 64) {
      fault(name, 'a whole number from 1 to 64', value);
    }
    return Number(value);
  };

  const switched = (name: string, fallback: boolean): boolean => {
    const value = text(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (value !== 'on' && value !== 'off') fault(name, 'on or off', value);
    return value === 'on';
  };

  const memberName = (name: string, fallback: string): string => {
    const value = text(name) ?? fallback;
    if (!/^[A-Za-z_]\w{0,63}$/.test(value)) {
      fault(name, 'the name of a JSON member (letters, digits, underscores)', value);
    }
    return value;
  };

  const config: Config = {
    host: text('HOST') ?? '127.0.0.1',
    port: port('PORT', 4000),
    workers: workers('WORKERS'),
    managementUrl: url('MANAGEMENT_URL'),
    observabilityUrl: url('OBSERVABILITY_URL'),
    extendedReads: switched('EXTENDED_READS', true),
    shareInFlight: switched('SHARE_IN_FLIGHT', true),
    introspection: switched('INTROSPECTION', true),
    graphiql: switched('GRAPHIQL', true),
    explain: switched('EXPLAIN', text('NODE_ENV') !== 'production'),
    pipeStateCommandField: memberName('PIPE_STATE_COMMAND_FIELD', 'command'),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
};
