import { sendSized } from './ways.ts';

/** What a browser asks before it sends a request of another origin. */
export const preflight = (
  url: string,
  origin: string,
  headers = 'content-type,authorization,management-authorization,observability-authorization',
) =>
  sendSized(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': headers,
    },
  });

/** What of an answer a browser asks for before it shows it to another origin. */
export const accessControl = ({ headers }: Response): readonly string[] =>
  [...headers].flatMap(([name, value]) =>
    name.startsWith('access-control-') ? [`${name}: ${value}`] : [],
  );
