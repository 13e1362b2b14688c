import { StringDecoder } from 'node:string_decoder';
import { largerThan, limits } from '../../facts/limits.ts';
import { type ClusterReader, type ListResult, type Query, ReadError } from '../cluster-reader.ts';
import type { Connection } from './connection.ts';
import type { Answer } from './exchange.ts';
import { AnswerLimitMet, checkShape, LimitMet } from './limits.ts';
import { withoutSecrets } from './mask-secrets.ts';
import { isAbsent, refusalError, unreadable } from './refusal.ts';
import { showUrl } from './server-url.ts';
import type { Transport } from './transport.ts';

/** Longer than any line that somebody reads on purpose: what is longer is cut there. */
const longest = 64 * 1024;

/** Cuts bytes that arrive in pieces into lines; `end` gives out the last one. Holds no more than one line. */
function lineSplitter(each: (line: string) => void): {
  readonly take: (chunk: Buffer) => void;
  readonly end: () => void;
} {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  const add = (text: string): void => {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      each(begun + line);
      begun = '';
    }
    if (begun.length < longest) begun += last;
  };
  return {
    take: (chunk) => add(decoder.write(chunk)),
    end: () => {
      add(decoder.end());
      if (begun !== '') each(begun);
    },
  };
}

/** Objects per page: large pages compress, small ones (below 128 KiB) do not. */
const pageSize = 1000;

/** A List of whatever kind, as far as paging needs it. */
interface Page<T> {
  readonly items?: readonly T[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** Reads a cluster over `transport`, without the generated client: raw JSON, nothing dropped, nothing converted. */
export function kubeReader(
  connection: Connection,
  transport: Transport,
  at?: ClusterReader['at'],
): ClusterReader {
  const server = showUrl(connection.server);
  const hide = (text: string) => withoutSecrets(text, [...transport.secrets]);

  const successful = async (path: string, query: Query | undefined, accept: string): Promise<Answer> => {
    const answer = await transport.fetch(path, query, accept);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refusalError(answer, path, server, hide);
  };

  const beyond = (path: string, what: string, error: LimitMet): ReadError =>
    new ReadError(`the ${what} ${path} ${error.message}`, { reason: 'server-error', path }, error);

  const json = <T>(answer: Answer, path: string): T => {
    try {
      checkShape(answer.body);
      const value: unknown = JSON.parse(answer.body.toString('utf8'));
      if (typeof value === 'object' && value !== null) return value as T;
    } catch (error) {
      if (error instanceof LimitMet) throw beyond(path, 'answer for', error);
      // Said below: the parser's message quotes the text.
    }
    throw unreadable(answer, path, server);
  };

  let listed = 0;
  const pages = async <T>(path: string, query: Query, accept: string): Promise<ListResult<T>> => {
    const items: T[] = [];
    let next: string | undefined;
    for (let read = 1; ; read += 1) {
      const answer = await successful(path, { ...query, continue: next }, accept);
      const page = json<Page<T>>(answer, path);
      if (!Array.isArray(page.items ?? [])) throw unreadable(answer, path, server);
      for (const item of page.items ?? []) items.push(item);
      listed += answer.body.length;
      const { objects, lists, pages: most } = limits;
      if (items.length > objects)
        throw beyond(path, 'list', new LimitMet(`holds more than ${objects} objects`));
      if (listed > lists) throw beyond(path, 'list', new LimitMet(`with the others ${largerThan(lists)}`));
      next = page.metadata?.continue || undefined;
      if (next !== undefined && read >= most)
        throw beyond(path, 'list', new LimitMet(`has more than ${most} pages`));
      if (next === undefined) return { items, resourceVersion: page.metadata?.resourceVersion ?? '' };
    }
  };

  return {
    server,
    context: connection.context,
    namespace: connection.namespace,

    async get<T>(path: string, query?: Query, accept = 'application/json') {
      const answer = await transport.fetch(path, query, accept);
      if (isAbsent(answer)) return undefined;
      if (answer.status < 200 || answer.status > 299) throw refusalError(answer, path, server, hide);
      return json<T>(answer, path);
    },

    async list<T>(path: string, query: Query = {}, accept = 'application/json') {
      try {
        return await pages<T>(path, { limit: pageSize, ...query }, accept);
      } catch (error) {
        // An honest page is too large where its objects are: CRDs of a cluster that has thousands of them.
        if (error instanceof ReadError && error.cause instanceof AnswerLimitMet)
          return await pages<T>(path, { limit: pageSize / 20, ...query }, accept);
        // 410: the pages still to come are gone (compaction). All at once cannot expire; client-go's pager does the same.
        if (!(error instanceof ReadError) || error.status !== 410) throw error;
        return await pages<T>(path, { ...query, limit: undefined }, accept);
      }
    },

    async text(path: string, query?: Query) {
      return (await successful(path, query, '*/*')).body.toString('utf8');
    },

    async lines(path: string, each: (line: string) => void) {
      const split = lineSplitter(each);
      const answer = await transport.fetch(path, undefined, 'text/plain', split.take);
      if (answer.status < 200 || answer.status > 299) throw refusalError(answer, path, server, hide);
      split.end();
    },

    ...(at === undefined ? {} : { at }),
    close: transport.close,
  };
}
