import type { Unread } from '../../facts/unread.ts';

/**
 * Rights that were missing, remembered so that each is asked for once, and ways that did not carry; all told in one line
 * each.
 */
export interface Refusals {
  /** The refusal that stands for a way in a namespace; undefined: not refused so far. */
  known(way: string, namespace: string): Unread | undefined;
  /** It stands, and is told only where somebody misses what the way would have shown: {@link Refusals.remember}. */
  stands(way: string, namespace: string, unread: Unread): void;
  remember(way: string, namespace: string, unread: Unread): void;
  /** Whoever stands on the way did not let it through, for another reason than rights; it is tried again all the same. */
  broke(way: string, namespace: string, unread: Unread): void;
  /** One line for each way, rights first. */
  told(): readonly Unread[];
}

const mostNamed = 3;

const named = (namespaces: readonly string[]): string => {
  const shown = namespaces.slice(0, mostNamed).join(', ');
  const more = namespaces.length - mostNamed;
  const word = namespaces.length === 1 ? 'namespace' : 'namespaces';
  return `${word} ${shown}${more > 0 ? ` and ${more} more` : ''}`;
};

/** By way, then by namespace. */
type Told = Map<string, Map<string, Unread>>;

function note(told: Told, way: string, namespace: string, unread: Unread): void {
  const ofWay = told.get(way) ?? new Map<string, Unread>();
  told.set(way, ofWay);
  if (!ofWay.has(namespace)) ofWay.set(namespace, unread);
}

const lines = (told: Told): readonly Unread[] =>
  [...told].flatMap(([way, ofWay]) => {
    const [first] = ofWay.values();
    if (first === undefined) return [];
    const { why, detail, allow } = first;
    const { namespace: _namespace, ...everywhere } = allow ?? { apiGroups: [], resources: [], verbs: [] };
    return [
      {
        what: `${way} in ${named([...ofWay.keys()])}`,
        why,
        ...(detail === undefined ? {} : { detail }),
        ...(allow === undefined ? {} : { allow: ofWay.size === 1 ? allow : everywhere }),
      },
    ];
  });

/** What was refused, and what broke, in one run. */
export function refusals(): Refusals {
  const found: Told = new Map();
  const broken: Told = new Map();
  const standing: Told = new Map();
  return {
    known: (way, namespace) => found.get(way)?.get(namespace) ?? standing.get(way)?.get(namespace),
    stands(way, namespace, unread) {
      if (unread.why === 'forbidden') note(standing, way, namespace, unread);
    },
    remember(way, namespace, unread) {
      if (unread.why === 'forbidden') note(found, way, namespace, unread);
    },
    broke(way, namespace, unread) {
      if (unread.why === 'unreachable' || unread.why === 'server-error') note(broken, way, namespace, unread);
    },
    told: () => [...lines(found), ...lines(broken)],
  };
}
