import { type Callout, calloutId } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, type ObjectRef, refOf } from '../../facts/object-ref.ts';
import type { ProbeConnection } from '../../facts/probes.ts';
import type { Facts } from '../../facts/snapshot.ts';

/** The facts that checks of TLS alerts require. */
export const alertFacts = ['callouts', 'probes'] as const;
type AlertFacts = Pick<Facts, (typeof alertFacts)[number]>;

/** Callouts with results of a probe. */
export const probed = ({ callouts, probes }: AlertFacts): readonly Callout[] =>
  callouts.filter((callout) => {
    const id = calloutId(callout);
    return probes.getIfKnown(id) !== undefined;
  });

/** TLS alerts of servers that have no certificate: of Go (tls.alertInternalError), and of TLS 1.2. */
export const alertsWithoutCertificate = ['internal error', 'no certificate'];

/** TLS alerts of servers that require a client certificate; OpenSSL and Java in TLS 1.2: the last only. */
export const demandingAlerts = [
  'certificate required',
  'bad certificate',
  'unknown certificate authority',
  'handshake failure',
];
/** True for a missing client certificate. A handshake failure before ServerHello means protocol or cipher. */
export const demandsCertificate = (alert: string, greeted: boolean): boolean =>
  demandingAlerts.includes(alert) && (alert !== 'handshake failure' || greeted);

interface HandshakeResult {
  readonly ready: boolean;
  readonly server: string;
  readonly object: ObjectRef;
  /** As Go names it; undefined if there was none. */
  readonly alert: string | undefined;
  /** Protocol and cipher suite were agreed before the alert. */
  readonly greeted: boolean;
  readonly answered: boolean;
}

/** TLS versions below the minimum of Go's client: crypto/tls, since 1.18. */
const tooOld = ['SSLv3', 'TLSv1', 'TLSv1.1'];

function alertOf(connections: readonly ProbeConnection[]): string | undefined {
  for (const { failure, handshake, reviews } of connections) {
    const alert =
      failure?.alert ?? reviews.map((review) => review.failure?.alert).find((name) => name !== undefined);
    if (alert !== undefined) return alert;
    if (handshake !== undefined && tooOld.includes(handshake.protocol))
      return 'protocol version not supported';
  }
  return undefined;
}

const wasGreeted = (connections: readonly ProbeConnection[]): boolean =>
  connections.some(({ failure }) => failure?.greeted === true);

const completesHandshake = (connections: readonly ProbeConnection[]): boolean =>
  connections.some(({ handshake, failure }) => handshake !== undefined && failure === undefined);

function handshakeResults(callout: Callout, { probes }: AlertFacts): readonly HandshakeResult[] {
  const found = probes.get(calloutId(callout));
  const { namespace } = callout.client.service ?? {};
  const replicas = (found?.replicas ?? []).map(({ pod, endpoint, ready, dialogues }): HandshakeResult => {
    const object = pod === undefined ? callout.ref : refOf('Pod', { namespace, name: pod });
    const server = pod === undefined ? `the server at ${endpoint ?? 'an address'}` : `Pod ${keyOf(object)}`;
    const alert = alertOf(dialogues);
    return {
      ready,
      server,
      object,
      alert,
      greeted: wasGreeted(dialogues),
      answered: completesHandshake(dialogues),
    };
  });
  if (found?.url === undefined) return replicas;
  const url = [found.url];
  const server = 'the server at the URL';
  return [
    ...replicas,
    {
      ready: true,
      server,
      object: callout.ref,
      alert: alertOf(url),
      greeted: wasGreeted(url),
      answered: completesHandshake(url),
    },
  ];
}

/** Replicas that sent the same TLS alert, with the data of a finding. */
export interface ReportedAlert {
  readonly extent: 'all' | 'some' | 'spare';
  /** `Pod shop/policy-1`, `both Pods`. */
  readonly servers: string;
  readonly evidence: readonly Evidence[];
  readonly complete: <F extends object>(finding: F) => F;
}

/**
 * The replicas that sent one of these alerts; undefined if none did.
 *
 * @param hasMeaning distinguishes two meanings of one alert.
 */
export function reportedAlert(
  callout: Callout,
  facts: AlertFacts,
  alerts: readonly string[],
  hasMeaning: (alert: string, greeted: boolean) => boolean = () => true,
): ReportedAlert | undefined {
  const all = handshakeResults(callout, facts);
  const alerting = all.filter(
    ({ alert, greeted }) => alert !== undefined && alerts.includes(alert) && hasMeaning(alert, greeted),
  );
  const [first] = alerting;
  if (first?.alert === undefined) return undefined;
  const ready = all.filter((ended) => ended.ready);
  const reachable = ready.length > 0 ? ready : all;
  const others = reachable.filter((ended) => !alerting.includes(ended));
  const isReachable = alerting.some((ended) => reachable.includes(ended));
  const ofReachable = others.some(({ answered }) => answered) ? 'some' : 'all';
  const predictedError = `remote error: tls: ${first.alert}`;
  const every = alerting.length === 2 ? 'both Pods' : `all ${alerting.length} replicas`;
  const several = alerting.length === all.length ? every : `${alerting.length} of ${all.length} replicas`;
  return {
    extent: isReachable ? ofReachable : 'spare',
    servers: alerting.length === 1 ? first.server : several,
    evidence: alerting.slice(0, 4).map(({ object, alert }) => ({
      object,
      field: 'TLS handshake',
      value: `remote error: tls: ${alert}`,
    })),
    complete: (finding) => ({ ...finding, predictedError, place: 0 }),
  };
}
