import type { IncomingMessage } from 'node:http';
import { type Answer, answerFile, notLoaded } from '../graphiql/answer.ts';
import { filesFolder, loadFiles } from '../graphiql/files.ts';
import { contentSecurityPolicy, renderPage } from '../graphiql/page.ts';
import { headersText, placeholders, readTabs, type TabVariables } from '../graphiql/start.ts';
import { acceptedBy } from '../negotiation.ts';
import type { GatewayPlugin } from './plugin.ts';

/** What GraphiQL shows when it is first opened. */
export interface GraphiqlStart {
  /** Sent with every request from the page, and editable there. For demo credentials only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In the variables panes, instead of placeholders. */
  readonly variables?: TabVariables;
}

/** What GraphiQL is made of; loaded when it is first asked for, and again after a failure. */
const createLoad = (variables: TabVariables) => {
  const load = async () => ({ files: await loadFiles(), tabs: await readTabs(variables) });
  let loading: ReturnType<typeof load> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
};

const asksForPage = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && acceptedBy(headers.accept).page;

/**
 * Shows a browser GraphiQL at the endpoint, and its files below. Yoga's own page would load its scripts from
 * elsewhere.
 *
 * @param onFailure told why GraphiQL could not be loaded
 */
export const useGraphiql = (
  endpoint: string,
  { headers = {}, variables = placeholders }: GraphiqlStart,
  onFailure: (error: unknown) => void,
): GatewayPlugin => {
  const load = createLoad(variables);
  const lastSegment = endpoint.slice(endpoint.lastIndexOf('/') + 1);

  const pageAt = async (path: string): Promise<Answer> => ({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
    },
    body: renderPage({
      ...(await load()),
      headers: headersText(headers),
      // Relative, as a proxy may have put more before the path.
      base: path.endsWith('/') ? '' : `${lastSegment}/`,
    }),
  });

  const fileAt = async (path: string, req: IncomingMessage): Promise<Answer | undefined> => {
    const { files } = await load();
    const file = files.get(path.slice(endpoint.length + 1));
    return file && answerFile(file, req);
  };

  /** Nothing where the request is for something else. */
  const answerTo = (req: IncomingMessage): Promise<Answer | undefined> | undefined => {
    const [path = ''] = req.url?.split('?', 1) ?? [];
    if (path.startsWith(`${endpoint}/${filesFolder}`)) return fileAt(path, req);
    if (!asksForPage(req)) return undefined;
    return path === endpoint || path === `${endpoint}/` ? pageAt(path) : undefined;
  };

  return {
    onRequest: ({ serverContext: { req, res }, endResponse, fetchAPI }) => {
      const answering = answerTo(req);
      return answering
        ?.catch((error: unknown) => {
          onFailure(error);
          return notLoaded;
        })
        .then((answer) => {
          if (!answer) return;
          const { status, headers: own, body = null } = answer;
          const { vary, ...rest } = own;
          // CORS may have one there already.
          if (vary !== undefined) res.appendHeader('vary', vary);
          endResponse(new fetchAPI.Response(body, { status, headers: rest }));
        });
    },
  };
};
