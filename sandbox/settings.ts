/**
 * A port from the environment; an empty value counts as absent.
 * @throws Error with one sentence if the value is not a port.
 */
export const readPort = (name: string, fallback: number): number => {
  const value = process.env[name] ?? '';
  if (value === '') return fallback;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535) {
    throw new Error(`${name} must be a port: an integer from 0 to 65535`);
  }
  return port;
};

/**
 * SANDBOX_LIMITS: whether credentials are limited as by the real services; an empty value counts as `on`.
 * @throws Error with one sentence for another value.
 */
export const readLimits = (): boolean => {
  const value = process.env.SANDBOX_LIMITS?.trim().toLowerCase() || 'on';
  if (value !== 'on' && value !== 'off') throw new Error('SANDBOX_LIMITS must be on or off');
  return value === 'on';
};
