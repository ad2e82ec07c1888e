import type { IncomingMessage } from 'node:http';
import { type Answer, answerFile, notLoaded } from '../graphiql/answer.ts';
import { filesFolder, loadFiles } from '../graphiql/files.ts';
import { contentSecurityPolicy, renderPage } from '../graphiql/page.ts';
import { headersText, placeholdersFor, readTabs, type TabVariables } from '../graphiql/start.ts';
import { acceptedBy } from '../negotiation.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Initial content of GraphiQL. */
export interface GraphiqlStart {
  /** Sent with every request from the page, and editable there. For demo credentials only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values for the variables panes, instead of placeholders. */
  readonly variables?: TabVariables;
}

/** The page and the files of GraphiQL: loaded at the first request, and again after a failure. */
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
 * Shows GraphiQL to browsers at the endpoint, with its files below. Yoga's own page would load its scripts from another
 * server.
 *
 * @param hasOneKey whether the management credential counts for both upstreams
 * @param onFailure called with the reason why GraphiQL could not be loaded
 */
export const useGraphiql = (
  endpoint: string,
  { headers = {}, variables }: GraphiqlStart,
  hasOneKey: boolean,
  onFailure: (error: unknown) => void,
): GatewayPlugin => {
  const load = createLoad(variables ?? placeholdersFor(hasOneKey));
  const lastSegment = endpoint.slice(endpoint.lastIndexOf('/') + 1);

  const pageAt = async (path: string): Promise<Answer> => ({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
    },
    body: renderPage({
      ...(await load()),
      headers: headersText(headers, hasOneKey),
      // Relative, since a proxy may have added a prefix to the path.
      base: path.endsWith('/') ? '' : `${lastSegment}/`,
    }),
  });

  const fileAt = async (path: string, req: IncomingMessage): Promise<Answer | undefined> => {
    const { files } = await load();
    const file = files.get(path.slice(endpoint.length + 1));
    return file && answerFile(file, req);
  };

  /** Undefined if the request is for something else than GraphiQL. */
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
          // CORS may have set this header already.
          if (vary !== undefined) res.appendHeader('vary', vary);
          endResponse(new fetchAPI.Response(body, { status, headers: rest }));
        });
    },
  };
};
