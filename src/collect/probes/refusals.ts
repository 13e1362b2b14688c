import type { AllowRule, Unread } from '../../facts/unread.ts';

/** Rights that were missing, remembered so that each is asked for once, and told in one line each. */
export interface Refusals {
  /** The refusal that stands for a way in a namespace; undefined: not refused so far. */
  known(way: string, namespace: string): Unread | undefined;
  remember(way: string, namespace: string, unread: Unread): void;
  /** One line for each way. */
  told(): readonly Unread[];
}

const mostNamed = 3;

const named = (namespaces: readonly string[]): string => {
  const shown = namespaces.slice(0, mostNamed).join(', ');
  const more = namespaces.length - mostNamed;
  const word = namespaces.length === 1 ? 'namespace' : 'namespaces';
  return `${word} ${shown}${more > 0 ? ` and ${more} more` : ''}`;
};

export function refusals(): Refusals {
  const found = new Map<string, Map<string, Unread>>();
  return {
    known: (way, namespace) => found.get(way)?.get(namespace),
    remember(way, namespace, unread) {
      if (unread.why !== 'forbidden') return;
      const ofWay = found.get(way) ?? new Map<string, Unread>();
      found.set(way, ofWay);
      if (!ofWay.has(namespace)) ofWay.set(namespace, unread);
    },
    told: () =>
      [...found].flatMap(([way, ofWay]) => {
        const [first] = ofWay.values();
        if (first === undefined) return [];
        const { namespace: _namespace, ...everywhere }: AllowRule = first.allow ?? {
          apiGroups: [],
          resources: [],
          verbs: [],
        };
        const allow = ofWay.size === 1 ? first.allow : everywhere;
        const { detail } = first;
        return [
          {
            what: `${way} in ${named([...ofWay.keys()])}`,
            why: 'forbidden' as const,
            ...(detail === undefined ? {} : { detail }),
            ...(allow === undefined ? {} : { allow }),
          },
        ];
      }),
  };
}
