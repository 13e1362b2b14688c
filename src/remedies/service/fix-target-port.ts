import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service, ServicePort } from '../../facts/objects/service.ts';
import { hasOtherPurpose } from '../../facts/objects/service.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { lastingContainers } from '../../facts/workloads/container-crash.ts';
import { configuredPorts, plainHttpPorts } from '../../facts/workloads/pod-ports.ts';
import { isPodReady } from '../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../facts/workloads/replicas.ts';
import { servicesSelecting } from '../../facts/workloads/workloads.ts';
import { listed } from '../../phrases/lists.ts';
import { portInLog } from '../../pods/listening.ts';
import { portBehind, serviceBehind, serviceEdit, whoReverts } from '../backend.ts';
import { defineRemedy, type PlanDraft } from '../remedy.ts';

interface Declared {
  readonly name: string | undefined;
  readonly number: number;
}

/** TCP ports that a Pod declares, except those of metrics and of probes over plain HTTP. */
const declaredBy = (pod: Pod): readonly Declared[] =>
  lastingContainers(pod)
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map(({ name, containerPort }) => ({ name, number: containerPort }))
    .filter((port) => !hasOtherPurpose(port) && !plainHttpPorts(pod).includes(port.number));

/** Ports that flags or environment variables of a Pod set for the webhook. */
const configuredIn = (pod: Pod): readonly Declared[] =>
  [...new Set(configuredPorts(pod).map(([, port]) => port))].map((number) => ({ name: undefined, number }));

/** The port of a successful HTTPS readiness probe: TLS is served there. */
function answersHttps(pod: Pod): readonly Declared[] {
  if (!isPodReady(pod)) return [];
  const probed = pod.spec.containers.flatMap(({ readinessProbe }) =>
    readinessProbe?.httpGet?.scheme === 'HTTPS' ? [readinessProbe.httpGet.port] : [],
  );
  const ports = declaredBy(pod);
  return probed.flatMap((port) => {
    const declared = ports.find(({ name, number }) => name === port || number === port);
    if (declared !== undefined) return [declared];
    return typeof port === 'number' ? [{ name: undefined, number: port }] : [];
  });
}

/** The port on which the webhook server of a Pod listens, according to its log. */
const loggedBy =
  (current: number | string, facts: Pick<Facts, 'logs'>) =>
  (pod: Pod): readonly Declared[] => {
    const number = portInLog(pod, targetOf(pod, current), facts);
    return number === undefined ? [] : [{ name: undefined, number }];
  };

/** Findings of a server that responds, and not as the webhook must: it may be another server of the Pod. */
const ofOtherServer: readonly string[] = [
  'serving-certificate-name-mismatch',
  'replica-speaks-plain-http',
  'response-unauthorized',
];

const isWebhookPort = ({ name = '' }: Pick<Declared, 'name'>): boolean => name.includes('webhook');

/** The number of a Service's target in a Pod: of several ports with its name, the first (pkg/api/v1/pod FindPort). */
const targetOf = (pod: Pod, target: number | string | undefined): number | undefined =>
  typeof target === 'number'
    ? target
    : lastingContainers(pod)
        .flatMap(({ ports = [] }) => ports)
        .find(({ name }) => name === target)?.containerPort;

/** Ports that every Pod has, except the Service's present target. A name is no target if a Pod lacks it. */
function declaredByAll(
  pods: readonly Pod[],
  by: (pod: Pod) => readonly Declared[],
  current: number | string | undefined,
): readonly Declared[] {
  const [first, ...others] = pods.map(by);
  const numbers = new Set(pods.map((pod) => targetOf(pod, current)));
  return (first ?? [])
    .filter(({ number }) => numbers.has(undefined) || !numbers.has(number))
    .filter(({ number }) => others.every((ports) => ports.some((port) => port.number === number)));
}

const onlyOne = (found: readonly Declared[]): Declared | undefined =>
  found.length === 1 ? found[0] : undefined;

/** The only port; of several, the only one whose name contains `webhook` or is that of the Service port. */
const chosen = (found: readonly Declared[], port: ServicePort): Declared | undefined =>
  onlyOne(found) ??
  onlyOne(found.filter(isWebhookPort)) ??
  onlyOne(found.filter(({ name }) => name !== undefined && name === port.name));

/** Target ports of other Services that select the Pod: another server of the Pod may serve them. */
const portsOfOthers = (
  { metadata: { labels, namespace } }: Pod,
  own: Service,
  facts: Pick<Facts, 'services'>,
): ReadonlySet<number | string | undefined> =>
  new Set(
    servicesSelecting(labels, namespace, facts)
      .filter(({ metadata }) => keyOf(metadata) !== keyOf(own.metadata))
      .flatMap(({ spec: { ports = [] } }) => ports.map(({ targetPort, port }) => targetPort ?? port)),
  );

const text = ({ name, number }: Declared): string =>
  name === undefined ? `${number}` : `${number} (${name})`;

const isAt = ({ name, number }: Declared, target: number | string): boolean =>
  name === target || number === target;

const planOf = (service: Service, port: ServicePort, to: Declared): PlanDraft => ({
  summary: `Port ${port.port} of Service ${keyOf(service.metadata)} targets port ${to.name === port.targetPort ? to.number : text(to)} of its Pods instead of ${port.targetPort}`,
  edits: [
    serviceEdit(service, `ports/${service.spec.ports?.indexOf(port)}/targetPort`, port.targetPort, to.number),
  ],
  warnings: whoReverts(service.metadata),
});

export const fixTargetPort = defineRemedy({
  meta: {
    id: 'fix-target-port',
    title: 'Correct the targetPort of the Service',
    risk: 'careful',
    does: "Sets the Service's targetPort to the port of the webhook server. The first choice is the port that a flag or an environment variable of all its Pods sets. The next is the port that all Pods declare, if it is the only one. If they declare several, it is the one whose name contains `webhook` or is that of the Service port. Then follow the port on which an HTTPS readiness probe succeeds, and the port on which the server listens according to its log. The last choice is a target port of another Service. Ports of metrics and of probes over plain HTTP do not count. If another server of the Pods responds, only the name of the port decides, or if it serves plain HTTP, a setting of the webhook or an HTTPS readiness probe. All clients of this Service port then reach that port.",
    leaves: 'A container that does not listen on the port that it declares.',
    answers: ['target-port-name-missing', 'target-port-closed', 'replica-not-listening', ...ofOtherServer],
    touches: [{ operation: 'patch', kinds: ['Service'] }],
  },
  about: 'service-backed',
  requires: ['services', 'pods', 'logs'],
  plan({ check, callout }, facts) {
    const service = serviceBehind(callout, facts);
    const port = service && portBehind(callout, service);
    if (service === undefined || port === undefined) return undefined;
    const key = keyOf(service.metadata);
    const pods = replicaPods(facts.pods.get(key) ?? []);
    const [first] = pods;
    if (first === undefined) return undefined;
    const current = port.targetPort ?? port.port;
    const found = declaredByAll(pods, declaredBy, current);
    const isSilent = check === 'replica-not-listening';
    const logged = isSilent ? onlyOne(declaredByAll(pods, loggedBy(current, facts), current)) : undefined;
    const probed = onlyOne(declaredByAll(pods, answersHttps, current));
    const answered = probed ?? logged;
    if (ofOtherServer.includes(check)) {
      const isPlain = check === 'replica-speaks-plain-http';
      const set = onlyOne(declaredByAll(pods, configuredIn, current))?.number;
      const inSetting = isPlain ? found.find(({ number }) => number === set) : undefined;
      const byProbe = isPlain ? answered : undefined;
      const named = onlyOne(found.filter(isWebhookPort)) ?? inSetting ?? byProbe;
      const isOne = declaredBy(first).some((one) => isAt(one, current) && isWebhookPort(one));
      return named === undefined || isOne ? undefined : planOf(service, port, named);
    }
    const configured = onlyOne(declaredByAll(pods, configuredIn, current));
    // The process may not listen yet on the port that the Pods declare: another port must have responded, or be in the log.
    if (isSilent && answered === undefined) return undefined;
    const taken = portsOfOthers(first, service, facts);
    const free = found.filter(({ name, number }) => !taken.has(name) && !taken.has(number));
    const sure = isSilent ? answered : (configured ?? chosen(free, port) ?? answered);
    const only = sure ?? chosen(found, port);
    if (only === undefined) {
      return found.length === 0
        ? `The Pods of Service ${key} declare no other port: it is unknown which port serves the webhook.`
        : `The Pods of Service ${key} declare ports ${listed(found.map(text))}; it is unknown which of them serves the webhook.`;
    }
    const isOnlyLogged = only === logged && probed === undefined;
    const unsure = isOnlyLogged ? 'only a log shows that the webhook server listens there' : undefined;
    return {
      ...planOf(service, port, only),
      unsure: sure === undefined ? 'it is unknown which port serves the webhook' : unsure,
    };
  },
});
