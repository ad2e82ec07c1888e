type Command = 'serve' | 'check' | 'help' | 'version';

/** An argument that the gateway does not know; the message is one line. */
export class ArgumentError extends Error {}

const commands: ReadonlyMap<string, Command> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['check', 'check'],
  ['--check', 'check'],
]);

/** The name of an option without its value, which may be a secret. Any other argument is hidden. */
const shown = (argument: string): string => {
  const [option] = /^--?[a-z][\w-]{0,40}(?==|$)/i.exec(argument) ?? [];
  return option === undefined ? 'one of the arguments' : `the argument ${option}`;
};

/** @throws ArgumentError */
export const readCommand = (given: readonly string[]): Command => {
  const unknown = given.find((argument) => !commands.has(argument));
  if (unknown !== undefined) {
    throw new ArgumentError(
      `Sluice does not know ${shown(unknown)}. --help lists what it takes; settings are environment variables.`,
    );
  }
  const asked = given.map((argument) => commands.get(argument));
  if (asked.includes('help')) return 'help';
  if (asked.includes('version')) return 'version';
  return asked.includes('check') ? 'check' : 'serve';
};
