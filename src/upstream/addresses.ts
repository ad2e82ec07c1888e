/** The forms in which an upstream may name itself to those who need not know where it is. */
export const addressesOf = ({ href, origin, host, hostname, port }: URL): readonly string[] =>
  // A word or a small number would be found in sentences about anything.
  [href, origin, host, hostname, port].filter((address) => /[.:]|\d{4}/.test(address));
