import { type ApiRead, apiReadText, type Unread } from '../../facts/unread.ts';

/** A request that requires a permission, in one namespace. */
type RefusedPermission = Pick<ApiRead, 'resource' | 'verb' | 'dryRun'> & {
  readonly namespace?: string | undefined;
};

/** Remembers missing permissions and failed ways to connect: each is tried once, and reported in one line. */
export interface Refusals {
  /** The remembered refusal; undefined: not refused so far. */
  known(way: RefusedPermission): Unread | undefined;
  /** Remembers a refusal that is reported only if its result is needed: {@link Refusals.remember}. */
  rememberIfNeeded(way: RefusedPermission, unread: Unread): void;
  remember(way: RefusedPermission, unread: Unread): void;
  /** Remembers a failure for a reason other than permissions; the request is still tried again. */
  broke(way: RefusedPermission, unread: Unread): void;
  /** One line for each way to connect, permissions first. */
  lines(): readonly Unread[];
}

/** By way to connect, then by namespace. */
type RefusalMap = Map<
  string,
  { readonly way: RefusedPermission; readonly unread: Map<string | undefined, Unread> }
>;

const at = (entries: RefusalMap, { namespace, ...way }: RefusedPermission) =>
  entries.get(apiReadText(way))?.unread.get(namespace);

function addRefusal(entries: RefusalMap, { namespace, ...way }: RefusedPermission, unread: Unread): void {
  const key = apiReadText(way);
  const ofWay = entries.get(key) ?? { way, unread: new Map() };
  entries.set(key, ofWay);
  if (!ofWay.unread.has(namespace)) ofWay.unread.set(namespace, unread);
}

const linesOf = (entries: RefusalMap): readonly Unread[] =>
  [...entries.values()].flatMap(({ way, unread: ofWay }) => {
    const [first] = ofWay.values();
    const namespaces = [...ofWay.keys()].filter((namespace) => namespace !== undefined);
    if (first === undefined) return [];
    const { why, detail, allow } = first;
    const { namespace: _namespace, ...everywhere } = allow ?? { apiGroups: [], resources: [], verbs: [] };
    return [
      {
        what: { ...way, ...(namespaces.length === 0 ? {} : { namespaces }) },
        why,
        ...(detail === undefined ? {} : { detail }),
        ...(allow === undefined ? {} : { allow: ofWay.size === 1 ? allow : everywhere }),
      },
    ];
  });

/** Collects the refusals and failures of one run. */
export function probeRefusals(): Refusals {
  const found: RefusalMap = new Map();
  const broken: RefusalMap = new Map();
  const standing: RefusalMap = new Map();
  return {
    known: (way) => at(found, way) ?? at(standing, way),
    rememberIfNeeded(way, unread) {
      if (unread.why === 'forbidden') addRefusal(standing, way, unread);
    },
    remember(way, unread) {
      if (unread.why === 'forbidden') addRefusal(found, way, unread);
    },
    broke(way, unread) {
      if (unread.why === 'unreachable' || unread.why === 'server-error') addRefusal(broken, way, unread);
    },
    lines: () => [...linesOf(found), ...linesOf(broken)],
  };
}
