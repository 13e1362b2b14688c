import { StringDecoder } from 'node:string_decoder';
import { largerThan, limits } from '../../facts/limits.ts';
import { type ClusterReader, type Keep, type ListResult, type Query, ReadError } from '../cluster-reader.ts';
import type { Connection } from './connection.ts';
import type { ExchangedResponse } from './exchange.ts';
import { checkShape, LimitExceeded, ResponseLimitExceeded } from './limits.ts';
import { withoutSecrets } from './mask-secrets.ts';
import { isAbsent, refusalError, unreadable } from './refusal.ts';
import { showUrl } from './server-url.ts';
import type { Transport } from './transport.ts';

/** Cuts bytes that arrive in pieces into lines, and lines at `longest`; `end` gives out the last one. Holds one line. */
function lineSplitter(
  each: (line: string) => void,
  longest = 64 * 1024,
): {
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
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** Reads a cluster over `transport`, without the generated client: raw JSON, nothing dropped, nothing converted. */
export function kubeReader(
  connection: Connection,
  transport: Transport,
  at?: ClusterReader['at'],
): ClusterReader {
  const server = showUrl(connection.server);
  const hide = (text: string) => withoutSecrets(text, [...transport.secrets]);

  const successful = async (
    path: string,
    query: Query | undefined,
    accept: string,
  ): Promise<ExchangedResponse> => {
    const answer = await transport.fetch(path, query, accept);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refusalError(answer, path, server, hide);
  };

  const beyond = (path: string, what: string, error: LimitExceeded): ReadError =>
    new ReadError(`the ${what} ${path} ${error.message}`, { reason: 'too-large', path }, error);

  /** What the API would not send breaks the code that reads it. */
  const converted = <T>(answer: ExchangedResponse, path: string, convert: () => T): T => {
    try {
      return convert();
    } catch {
      throw unreadable(answer, path, server, 'it sent objects of another kind');
    }
  };

  const json = <T>(answer: ExchangedResponse, path: string): T => {
    try {
      checkShape(answer.body);
      const value: unknown = JSON.parse(answer.body.toString('utf8'));
      if (typeof value === 'object' && value !== null) return value as T;
    } catch (error) {
      if (error instanceof LimitExceeded) throw beyond(path, 'answer for', error);
      // Said below: the parser's message quotes the text.
    }
    throw unreadable(answer, path, server);
  };

  /** Bytes of the lists of this run that were read, or are being read, and how many those are. */
  const listed = { bytes: 0, lists: 0 };

  const pages = async <T>(
    path: string,
    query: Query,
    accept: string,
    keep?: Keep<T>,
  ): Promise<ListResult<T>> => {
    const items: T[] = [];
    let [bytes, values, left] = [0, 0, 0];
    let next: string | undefined;
    const beyondList = (what: string) => beyond(path, 'list', new LimitExceeded(what));
    listed.lists += 1;
    try {
      for (let read = 1; ; read += 1) {
        const answer = await successful(path, { ...query, continue: next }, accept);
        const page = json<Page<T>>(answer, path);
        if (!Array.isArray(page.items ?? [])) throw unreadable(answer, path, server);
        const given = page.items ?? [];
        const kept =
          keep === undefined
            ? given
            : converted(answer, path, () => given.map(keep).filter((one) => one !== undefined));
        for (const item of kept) items.push(item);
        const asGiven = kept.length === given.length && kept.every((one, at) => one === given[at]);
        const held = asGiven ? answer.body : Buffer.from(JSON.stringify(kept));
        values += checkShape(held, bytes);
        bytes += held.length;
        listed.bytes += held.length;
        left += given.length - kept.length;
        if (items.length > limits.objects) throw beyondList(`holds more than ${limits.objects} objects`);
        if (values > limits.listValues) throw beyondList(`holds more than ${limits.listValues} values`);
        // The large ones are what is too much.
        if (listed.bytes > limits.lists && bytes * listed.lists >= listed.bytes)
          throw beyondList(`with the others ${largerThan(limits.lists)}`);
        next = page.metadata?.continue || undefined;
        const isLast = next === undefined || (given.length > 0 && kept.length === 0);
        if (isLast) {
          left += next === undefined ? 0 : (page.metadata?.remainingItemCount ?? 0);
          return {
            items,
            resourceVersion: page.metadata?.resourceVersion ?? '',
            ...(left > 0 ? { left } : {}),
          };
        }
        if (read >= limits.pages) throw beyondList(`has more than ${limits.pages} pages`);
      }
    } catch (error) {
      listed.bytes -= bytes;
      listed.lists -= 1;
      throw error;
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

    async list<T>(path: string, query: Query = {}, accept = 'application/json', keep?: Keep<T>) {
      try {
        return await pages<T>(path, { limit: pageSize, ...query }, accept, keep);
      } catch (error) {
        // An honest page is too large where its objects are: CRDs of a cluster that has thousands of them.
        if (error instanceof ReadError && error.cause instanceof ResponseLimitExceeded)
          return await pages<T>(path, { limit: pageSize / 20, ...query }, accept, keep);
        // 410: the pages still to come are gone (compaction). All at once cannot expire; client-go's pager does the same.
        if (!(error instanceof ReadError) || error.status !== 410) throw error;
        return await pages<T>(path, { ...query, limit: undefined }, accept, keep);
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

    async watch(path: string, query: Query, each: (line: string) => void, signal: AbortSignal) {
      const split = lineSplitter(each, limits.answer);
      const answer = await transport.aside({
        method: 'GET',
        path,
        query,
        take: split.take,
        signal,
        lasting: true,
      });
      if (answer.status < 200 || answer.status > 299) throw refusalError(answer, path, server, hide);
      split.end();
    },

    ...(at === undefined ? {} : { at }),
    close: transport.close,
  };
}
