const certificate = 'TLS: its certificate is refused';
const trust = 'name a file with the certificate of its authority in NODE_EXTRA_CA_CERTS';
const unknownAuthority = `${certificate}, as its authority is not known; ${trust}`;

const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'DNS does not know this name',
  EAI_AGAIN: 'DNS does not answer',
  EHOSTUNREACH: 'no route leads there',
  ENETUNREACH: 'no route leads there',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'connected, but no answer in time',
  timeout: 'connected, but no answer in time',
  'interim 100': 'it sends 100 Continue, which nobody has asked for',
  CERT_HAS_EXPIRED: `${certificate}, as it has expired`,
  CERT_NOT_YET_VALID: `${certificate}, as it is not valid yet; see whether the clock is right`,
  ERR_TLS_CERT_ALTNAME_INVALID: `${certificate}, as it is for another name`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `${certificate}, as it is self-signed; name a file with it in NODE_EXTRA_CA_CERTS`,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
};

/** OpenSSL's codes for an answer that is not TLS. */
const noTls = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/**
 * Explains for people why there is no connection.
 *
 * @param code the error's code, from Node, OpenSSL or undici
 * @param protocol the URL's protocol: `http:`, `https:`, `redis:` or `rediss:`
 */
export const describeConnectionFailure = (code: string, protocol: string): string => {
  const plain = protocol.startsWith('http') ? 'http' : 'redis';
  const isTls = protocol.startsWith(`${plain}s`);
  const known = meanings[code];
  // A Redis without TLS takes the handshake for the beginning of a command, and waits for the command's end.
  if (protocol === 'rediss:' && code === 'ETIMEDOUT') {
    return `${known}; if it speaks no TLS, the URL needs redis, not rediss`;
  }
  if (known !== undefined) return known;
  if (noTls.has(code)) return `it speaks no TLS; the URL probably needs ${plain}, not ${plain}s`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'TLS: the handshake fails';
  if (/CERT|ISSUER|SIGNATURE/.test(code)) return certificate;
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') {
    return `it closes the connection${isTls ? '' : `; the URL may need ${plain}s, not ${plain}`}`;
  }
  return code.startsWith('HPE_') ? 'it answers with something that is not HTTP' : 'no connection';
};
