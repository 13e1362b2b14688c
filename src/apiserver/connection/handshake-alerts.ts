import { type Callout, calloutId } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, type ObjectRef } from '../../facts/object-ref.ts';
import type { Dialogue } from '../../facts/probes.ts';
import type { Facts } from '../../facts/snapshot.ts';

/** What probes of a callout tell. */
export const alertFacts = ['callouts', 'probes'] as const;
export type AlertFacts = Pick<Facts, (typeof alertFacts)[number]>;

/** Callouts that a probe looked at. */
export const probed = ({ callouts, probes }: AlertFacts): readonly Callout[] =>
  callouts.filter((callout) => {
    const id = calloutId(callout);
    return probes.getIfKnown(id) !== undefined;
  });

/** How a server ends a handshake that lacks a client certificate; under TLS 1.2 OpenSSL and Java say no more than the last. */
export const demandingAlerts = [
  'certificate required',
  'bad certificate',
  'unknown certificate authority',
  'handshake failure',
];
/** Which of the two meanings of a handshake failure it is: without a hello before it, no protocol or cipher fits. */
export const demandsCertificate = (alert: string, greeted: boolean): boolean =>
  demandingAlerts.includes(alert) && (alert !== 'handshake failure' || greeted);

/** How a replica, or a URL, ended the handshake. */
interface Ended {
  readonly ready: boolean;
  readonly who: string;
  readonly object: ObjectRef;
  /** As Go names it; undefined when the handshake went well or ended otherwise. */
  readonly alert: string | undefined;
  /** Protocol and cipher suite were agreed by then. */
  readonly greeted: boolean;
  readonly answered: boolean;
}

/** TLS versions below what Go's client asks for: crypto/tls, since 1.18. */
const tooOld = ['SSLv3', 'TLSv1', 'TLSv1.1'];

function alertOf(dialogues: readonly Dialogue[]): string | undefined {
  for (const { failure, handshake, reviews } of dialogues) {
    const alert =
      failure?.alert ?? reviews.map((review) => review.failure?.alert).find((name) => name !== undefined);
    if (alert !== undefined) return alert;
    if (handshake !== undefined && tooOld.includes(handshake.protocol))
      return 'protocol version not supported';
  }
  return undefined;
}

const wasGreeted = (dialogues: readonly Dialogue[]): boolean =>
  dialogues.some(({ failure }) => failure?.greeted === true);

const answers = (dialogues: readonly Dialogue[]): boolean =>
  dialogues.some(({ handshake, failure }) => handshake !== undefined && failure === undefined);

function endings(callout: Callout, { probes }: AlertFacts): readonly Ended[] {
  const found = probes.get(calloutId(callout));
  const { namespace } = callout.client.service ?? {};
  const replicas = (found?.replicas ?? []).map(({ pod, endpoint, ready, dialogues }): Ended => {
    const object =
      pod === undefined
        ? callout.ref
        : { kind: 'Pod', ...(namespace === undefined ? {} : { namespace }), name: pod };
    const who = pod === undefined ? `the server at ${endpoint ?? 'an address'}` : `Pod ${keyOf(object)}`;
    const alert = alertOf(dialogues);
    return { ready, who, object, alert, greeted: wasGreeted(dialogues), answered: answers(dialogues) };
  });
  if (found?.url === undefined) return replicas;
  const url = [found.url];
  const who = 'the server at the URL';
  return [
    ...replicas,
    {
      ready: true,
      who,
      object: callout.ref,
      alert: alertOf(url),
      greeted: wasGreeted(url),
      answered: answers(url),
    },
  ];
}

/** Replicas that ended the handshake alike, and how a finding of them is told. */
export interface ReportedAlert {
  readonly extent: 'all' | 'some' | 'spare';
  /** `Pod shop/policy-1`, `both Pods`. */
  readonly who: string;
  readonly evidence: readonly Evidence[];
  readonly tell: <F extends object>(finding: F) => F;
}

/**
 * The replicas that ended the handshake with one of these alerts; undefined when none did.
 *
 * @param isMeant tells two meanings of one alert apart.
 */
export function reportedAlert(
  callout: Callout,
  facts: AlertFacts,
  alerts: readonly string[],
  isMeant: (alert: string, greeted: boolean) => boolean = () => true,
): ReportedAlert | undefined {
  const all = endings(callout, facts);
  const having = all.filter(
    ({ alert, greeted }) => alert !== undefined && alerts.includes(alert) && isMeant(alert, greeted),
  );
  const [first] = having;
  if (first?.alert === undefined) return undefined;
  const ready = all.filter((ended) => ended.ready);
  const met = ready.length > 0 ? ready : all;
  const others = met.filter((ended) => !having.includes(ended));
  const isMet = having.some((ended) => met.includes(ended));
  const words = `remote error: tls: ${first.alert}`;
  const many =
    having.length === all.length
      ? `all ${having.length} replicas`
      : `${having.length} of ${all.length} replicas`;
  return {
    extent: !isMet ? 'spare' : others.some(({ answered }) => answered) ? 'some' : 'all',
    who: having.length === 1 ? first.who : having.length === 2 && all.length === 2 ? 'both Pods' : many,
    evidence: having.slice(0, 4).map(({ object, alert }) => ({
      object,
      field: 'TLS handshake',
      value: `remote error: tls: ${alert}`,
    })),
    tell: (finding) => ({ ...finding, words, place: 0 }),
  };
}

/** The three messages of something that some or all replicas do. */
export const byReplicas = <const Text extends string>(text: Text) =>
  ({
    all: text,
    some: {
      text: `${text}; other Pods respond` as `${Text}; other Pods respond`,
      consequence: 'degraded',
    },
    spare: {
      text: `${text}; no call reaches it now` as `${Text}; no call reaches it now`,
      severity: 'warning',
      consequence: 'none',
    },
  }) as const;
