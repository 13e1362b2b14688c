import { listed } from './lists.ts';

/** Requests for several resources with the same result. */
interface Requests {
  /** `CREATE`, `UPDATE`, `DELETE`, `CONNECT`. */
  readonly operations?: readonly string[];
  /** `some`: only requests with certain labels or values. */
  readonly which: 'all' | 'some';
  /** `ConfigMaps`, `any resource`. */
  readonly resources?: readonly string[];
  /** `all namespaces`; absent for cluster-scoped resources. */
  readonly extent?: string;
}

const verbs: Readonly<Record<string, string>> = {
  CREATE: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
  CONNECT: 'connect to',
};

/** `create or update ConfigMaps or Secrets in all namespaces`; of many resources, three and their number. */
export function requestsPhrase({ operations = [], which, resources = [], extent }: Requests): string {
  const some = which === 'some' ? 'some requests to ' : '';
  const does = listed(
    operations.map((one) => verbs[one] ?? one),
    { word: 'or' },
  );
  const where = extent === undefined ? '' : ` in ${extent}`;
  return `${some}${does} ${listed(resources, { most: 3, word: 'or' })}${where}`;
}
