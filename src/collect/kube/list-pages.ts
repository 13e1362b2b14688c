import { largerThan, limits } from '../../facts/limits.ts';
import type { ListResult, Query, Trim } from '../cluster-reader.ts';
import { type ApiResponses, tooLarge } from './api-responses.ts';
import type { ExchangedResponse } from './exchange.ts';
import { checkShape, LimitExceeded } from './limits.ts';

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
export interface ListTotals {
  bytes: number;
  lists: number;
}

/** A list to read. */
export interface ListRequest<T> {
  readonly path: string;
  readonly query: Query;
  readonly accept: string;
  /** Selects and reduces objects. */
  readonly keep: Trim<T> | undefined;
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
export async function readPages<T>(
  api: ApiResponses,
  totals: ListTotals,
  request: ListRequest<T>,
): Promise<ListResult<T>> {
  const { path, query, accept } = request;
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
      if (next === undefined || (given.length > 0 && kept.length === 0)) {
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
