import { type Callout, calloutId, calloutKinds } from '../facts/callout.ts';
import { isReadOf, type Unread } from '../facts/unread.ts';

/** A name on the command line that fits no callout, or several that are not the same thing. */
export class CalloutNameError extends Error {
  /** What could have been meant: ids that can be typed. */
  readonly candidates: readonly string[];
  /** Nothing has that name, as far as everything could be read. */
  readonly absent: boolean;
  constructor(message: string, candidates: readonly string[], absent = false) {
    super(message);
    this.name = 'CalloutNameError';
    this.candidates = candidates;
    this.absent = absent;
  }
}

const prefixOf = ({ kind }: Callout): string => calloutKinds[kind].prefix;

/** Kinds as kubectl prints and takes them. */
const kindsOfKubectl: readonly (readonly [RegExp, string])[] = [
  [/^(?:validatingwebhookconfigurations?(?:\..+)?|vwc)$/i, 'validating'],
  [/^(?:mutatingwebhookconfigurations?(?:\..+)?|mwc)$/i, 'mutating'],
  [/^(?:customresourcedefinitions?(?:\..+)?|crds?)$/i, 'crd'],
  [/^apiservices?(?:\..+)?$/i, 'apiservice'],
];

/** `CONFIGURATION`, `CONFIGURATION/WEBHOOK`, `crd/NAME`, `apiservice/NAME`, `validating/…`, `mutating/…`. */
function byConfiguration(name: string): (callout: Callout) => boolean {
  const [kind = '', ...rest] = name.split('/');
  const first = kindsOfKubectl.find(([word]) => rest.length > 0 && word.test(kind))?.[1] ?? kind;
  return (callout) => {
    if (rest.length > 0 && first === prefixOf(callout)) {
      const [configuration, webhook] = rest;
      return (
        callout.configuration === configuration && (webhook === undefined || callout.webhook === webhook)
      );
    }
    if (rest.length > 1) return false;
    return callout.configuration === first && (rest[0] === undefined || callout.webhook === rest[0]);
  };
}

/** The webhook's own name, as errors have it. */
const byOwnName =
  (name: string) =>
  ({ webhook }: Callout): boolean =>
    webhook === name;

/** `NAMESPACE/NAME` of the Service that is called, or `service/NAME` in whichever namespace. */
function byService(name: string): (callout: Callout) => boolean {
  const [first = '', second, ...more] = name.split('/');
  const isService = /^(?:services?|svc)$/i.test(first);
  return ({ client: { service } }) =>
    service !== undefined &&
    more.length === 0 &&
    service.name === second &&
    (isService || service.namespace === first);
}

/** Of configurations that hold no webhook, those that are named: nothing is called for them. */
export const namedWithoutWebhooks = (
  withoutWebhooks: readonly string[],
  names: readonly string[],
): readonly string[] =>
  withoutWebhooks.filter((id) => names.includes(id) || names.includes(id.slice(id.indexOf('/') + 1)));

/** The lists that hold callouts (plural): those of names with a known prefix, or all. */
function listsOf(prefix: string | undefined): readonly string[] {
  const kinds = Object.values(calloutKinds);
  const named = kinds.filter((kind) => kind.prefix === prefix);
  return (named.length > 0 ? named : kinds).map(({ plural }) => plural);
}

/** Whether callouts may be missing because of it. */
export const hidesCallouts = (unread: Unread): boolean => isReadOf(unread, listsOf(undefined));

/** Whether a list that could hold the named callout is among those that could not be read. */
function mayBeUnread(name: string, unread: readonly Unread[]): boolean {
  const lists = listsOf(name.includes('/') ? name.split('/')[0] : undefined);
  return unread.some((one) => isReadOf(one, lists));
}

/** The callouts that one name means. A configuration means all its webhooks; two kinds of one name are ambiguous. */
function named(
  callouts: readonly Callout[],
  withoutWebhooks: readonly string[],
  unread: readonly Unread[],
  name: string,
): readonly Callout[] {
  const found = callouts.filter(byConfiguration(name));
  const kinds = [...new Set(found.map(prefixOf))];
  if (kinds.length > 1) {
    const candidates = kinds.map((kind) => `${kind}/${name}`);
    throw new CalloutNameError(`"${name}" names configurations of ${kinds.length} kinds`, candidates);
  }
  if (found.length > 0 || namedWithoutWebhooks(withoutWebhooks, [name]).length > 0) return found;
  for (const matches of [byOwnName(name), byService(name)]) {
    const others = callouts.filter(matches);
    if (others.length > 0) return others;
  }
  if (mayBeUnread(name, unread)) return [];
  const configurations = [
    ...new Set(callouts.map((callout) => calloutId(callout).split('/').slice(0, 2).join('/'))),
  ];
  throw new CalloutNameError(`this cluster has no webhook or APIService "${name}"`, configurations, true);
}

/**
 * All callouts when nothing is named, else the named ones, each once, in the cluster's order. Throws
 * {@link CalloutNameError}.
 *
 * @param withoutWebhooks `validating/NAME`, `mutating/NAME`: configurations that may be named although they hold none.
 * @param unread What could not be read: a name that could stand in such a list is none that the cluster does not have.
 */
export function chooseCallouts(
  callouts: readonly Callout[],
  names: readonly string[],
  withoutWebhooks: readonly string[] = [],
  unread: readonly Unread[] = [],
): readonly Callout[] {
  if (names.length === 0) return callouts;
  const wanted = new Set(names.flatMap((name) => named(callouts, withoutWebhooks, unread, name)));
  return callouts.filter((callout) => wanted.has(callout));
}
