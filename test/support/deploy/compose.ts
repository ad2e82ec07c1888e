import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface ComposeService {
  readonly image?: string;
  readonly build?: string;
  readonly user?: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly stop_grace_period?: string;
}

const text = readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8');

/**
 * The services of compose.yaml. Variables are filled in as Compose does it.
 * @throws Error with the text after `:?` where a variable that needs one has no value.
 */
export const readCompose = (
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, ComposeService>> => {
  const filled = text.replaceAll(/\$\{(\w+)(?::\?([^}]*))?\}/g, (_, name: string, message) => {
    const value = variables[name] ?? '';
    if (value === '' && message !== undefined) throw new Error(`${name}: ${message}`);
    return value;
  });
  const { services } = parse(filled, { merge: true }) as {
    readonly services: Readonly<Record<string, ComposeService>>;
  };
  return services;
};
