/**
 * A port for a server that must keep its port while it is down. It is outside the range that systems use for outgoing
 * connections and port 0 (from 32768 on Linux, 49152 elsewhere). If it is in use, draw another one.
 */
export const drawPort = (): number => 20_000 + Math.floor(Math.random() * 12_000);
