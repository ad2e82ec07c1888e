/**
 * A port for a server whose port has to stay its own while it is down. It is outside those that systems give to outgoing
 * connections and to port 0 (from 32768 on Linux, 49152 elsewhere). It may be in use: then draw another.
 */
export const drawPort = (): number => 20_000 + Math.floor(Math.random() * 12_000);
