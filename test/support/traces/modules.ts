const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** A module that tells on standard error which packages of OpenTelemetry are asked for, each once a line. */
export const tellingPackages = dataUrl(`
  import { registerHooks } from 'node:module';
  const told = new Set();
  registerHooks({
    resolve: (specifier, context, next) => {
      const [name] = specifier.match(/^@opentelemetry\\/[^/]+/) ?? [];
      if (name && !told.has(name)) process.stderr.write(name + '\\n');
      told.add(name);
      return next(specifier, context);
    },
  });
`);

/** A module that makes the SDK one that is not installed. */
export const withoutSdk = dataUrl(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === '@opentelemetry/sdk-node' ? 'a-package-that-is-not-there' : specifier, context),
  });
`);
