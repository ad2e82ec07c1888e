interface Forwarded {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const forwarded = /^(authorization|content-type|accept)$/;

/** Answers with the interface at this URL, and breaks off if the interface does. */
export const forwardTo =
  (url: string) =>
  async ({ method, path, headers, body }: Forwarded) => {
    const passed = Object.entries(headers).filter(([name]) => forwarded.test(name));
    const response = await fetch(url + path, {
      method,
      headers: passed.map(([name, value]) => [name, String(value)]),
      ...(body !== '' && { body }),
    });
    const head = { status: response.status, headers: Object.fromEntries(response.headers) };
    try {
      return { ...head, body: await response.text() };
    } catch (error) {
      // The error of fetch for a broken connection.
      if (!(error instanceof TypeError && error.message === 'terminated')) throw error;
      return { ...head, body: '{', isCutOff: true };
    }
  };
