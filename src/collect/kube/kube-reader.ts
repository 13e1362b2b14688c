import { StringDecoder } from 'node:string_decoder';
import { largerThan, limits } from '../../basics/limits.ts';
import {
  type ClusterReader,
  type ListResult,
  type Query,
  ReadError,
  type Trim,
  type WatchRequest,
} from '../cluster.ts';
import { type ApiResponses, apiResponses, tooLarge } from './http/api-responses.ts';
import type { ExchangedResponse } from './http/exchange.ts';
import { checkShape, LimitExceeded, ResponseLimitExceeded } from './http/limits.ts';
import { isAbsent } from './http/response-error.ts';
import type { Transport } from './http/transport.ts';
import type { Connection } from './kubeconfig/connection.ts';
import { showUrl } from './kubeconfig/server-url.ts';

/** The fields of a List that paging needs. */
interface Page<T> {
  readonly items?: readonly T[] | null;
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** Totals over all lists of a run that were read or are being read. */
interface ListTotals {
  bytes: number;
  lists: number;
}

interface ListRequest<T> {
  readonly path: string;
  readonly query: Query;
  readonly accept: string;
  readonly keep: Trim<T> | undefined;
  /** Only the first page is read. */
  readonly isFirstOnly?: boolean;
}

/** The state of a list while its pages are read. */
interface Progress<T> {
  readonly items: T[];
  bytes: number;
  values: number;
  /** The number of dropped objects. */
  left: number;
}

/** Reads a list page by page. Throws ReadError, also if the list exceeds a limit of this program. */
async function readPages<T>(
  api: ApiResponses,
  totals: ListTotals,
  request: ListRequest<T>,
): Promise<ListResult<T>> {
  const { path, query, accept, isFirstOnly = false } = request;
  const list: Progress<T> = { items: [], bytes: 0, values: 0, left: 0 };
  let next: string | undefined;
  totals.lists += 1;
  try {
    for (let read = 1; ; read += 1) {
      const response = await api.successful(path, { ...query, continue: next }, accept);
      const page = api.json<Page<T>>(response, path);
      // A list without objects has `items` as well; a response of another kind has none.
      const given = page.items === null ? [] : page.items;
      if (!Array.isArray(given)) throw api.malformed(response, path);
      const kept = keptOf(api, request, response, given);
      const held = kept === given ? response.body : Buffer.from(JSON.stringify(kept));
      list.values += checkShape(held, list.bytes);
      list.bytes += held.length;
      totals.bytes += held.length;
      list.left += given.length - kept.length;
      for (const item of kept) list.items.push(item);
      checkTotals(path, list, totals);
      const { resourceVersion = '', continue: following, remainingItemCount = 0 } = page.metadata ?? {};
      next = following || undefined;
      if (next === undefined || isFirstOnly || (given.length > 0 && kept.length === 0)) {
        const left = list.left + (next === undefined ? 0 : remainingItemCount);
        return { items: list.items, resourceVersion, ...(left > 0 ? { left } : {}) };
      }
      if (read >= limits.pages) throw listTooLarge(path, `has more than ${limits.pages} pages`);
    }
  } catch (error) {
    totals.bytes -= list.bytes;
    totals.lists -= 1;
    throw error;
  }
}

/** Returns the kept objects of a page; the page itself, unchanged, if all are kept. */
function keptOf<T>(
  api: ApiResponses,
  { path, keep }: ListRequest<T>,
  response: ExchangedResponse,
  given: readonly T[],
): readonly T[] {
  if (keep === undefined) return given;
  let kept: readonly T[];
  try {
    kept = given.map(keep).filter((object) => object !== undefined);
  } catch {
    // `keep` requires objects in the shape of the API.
    throw api.malformed(response, path, 'it sent objects of another kind');
  }
  return kept.length === given.length && kept.every((object, at) => object === given[at]) ? given : kept;
}

/** Throws ReadError if a list, or all lists together, exceed a limit. */
function checkTotals(path: string, list: Progress<unknown>, totals: ListTotals): void {
  if (list.items.length > limits.objects)
    throw listTooLarge(path, `holds more than ${limits.objects} objects`);
  if (list.values > limits.listValues)
    throw listTooLarge(path, `holds more than ${limits.listValues} values`);
  // If the total is too large, lists above the average size fail.
  if (totals.bytes > limits.lists && list.bytes * totals.lists >= totals.bytes)
    throw listTooLarge(path, `together with the other lists ${largerThan(limits.lists)}`);
}

const listTooLarge = (path: string, what: string) => tooLarge(path, 'list', new LimitExceeded(what));

/** Objects per page: large pages compress, small ones (below 128 KiB) do not. */
const pageSize = 1000;

interface LineSplitter {
  readonly take: (chunk: Buffer) => void;
  /** Emits the last line, if it has no line end. */
  readonly end: () => void;
}

/**
 * Splits a body that arrives in chunks into UTF-8 lines, and buffers one line at a time.
 *
 * @param longest maximum characters per line; the rest of a line is dropped.
 */
function lineSplitter(each: (line: string) => void, longest = 64 * 1024): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let partialLine = '';
  const add = (text: string): void => {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      each(partialLine + line);
      partialLine = '';
    }
    if (partialLine.length < longest) partialLine += last;
  };
  return {
    take: (chunk) => add(decoder.write(chunk)),
    end: () => {
      add(decoder.end());
      if (partialLine !== '') each(partialLine);
    },
  };
}

/**
 * Reads a cluster over `transport`: the JSON of the API server, without conversion.
 *
 * @param at opens a reader for another API server of the cluster.
 */
export function kubeReader(
  connection: Connection,
  transport: Transport,
  at?: ClusterReader['at'],
): ClusterReader {
  const server = showUrl(connection.server);
  const api = apiResponses(transport, server);
  const totals: ListTotals = { bytes: 0, lists: 0 };
  return {
    server,
    context: connection.context,
    namespace: connection.namespace,

    async get<T>(path: string, query?: Query, accept = 'application/json') {
      const response = await transport.fetch(path, query, accept);
      if (isAbsent(response)) return undefined;
      api.refuseUnlessOk(response, path);
      return api.json<T>(response, path);
    },

    async list<T>(path: string, query: Query = {}, accept = 'application/json', keep?: Trim<T>) {
      const { limit: asked, ...others } = query;
      const isFirstOnly = asked !== undefined;
      const pages = (limit: number) =>
        readPages<T>(api, totals, { path, query: { limit, ...others }, accept, keep, isFirstOnly });
      const objects = Number(asked ?? pageSize);
      try {
        return await pages(objects);
      } catch (error) {
        // A page of large objects exceeds the response limit: CRDs of a cluster that has thousands of them.
        if (error instanceof ReadError && error.cause instanceof ResponseLimitExceeded)
          return await pages(Math.ceil(objects / 20));
        // 410: compaction removed the next pages. One page cannot expire; client-go's pager does the same.
        if (!(error instanceof ReadError) || error.status !== 410) throw error;
        return await readPages<T>(api, totals, { path, query: { ...query, limit: undefined }, accept, keep });
      }
    },

    async text(path: string, query?: Query) {
      return (await api.successful(path, query, '*/*')).body.toString('utf8');
    },

    async lines(path: string, each: (line: string) => void) {
      const split = lineSplitter(each);
      api.refuseUnlessOk(await transport.fetch(path, undefined, 'text/plain', split.take), path);
      split.end();
    },

    async watch(of: WatchRequest, each: (line: string) => void, signal: AbortSignal) {
      const split = lineSplitter(each, limits.response);
      const request = { ...of, method: 'GET', take: split.take, signal, lasting: true } as const;
      api.refuseUnlessOk(await transport.aside(request), of.path);
      split.end();
    },

    ...(at === undefined ? {} : { at }),
    close: transport.close,
  };
}
