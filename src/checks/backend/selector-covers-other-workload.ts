import { type ProbeFacts, probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { hasFailed, probedEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import {
  type Backend,
  backends,
  hasSelector,
  selectorEvidence,
  usableBehind,
} from '../../apiserver/routing/backends.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { Container, Pod } from '../../facts/objects/pod.ts';
import type { ServicePort } from '../../facts/objects/service.ts';
import { startupSeconds } from '../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../facts/workloads/replicas.ts';
import { byWorkload, labelsText, refOfPod } from '../../facts/workloads/workloads.ts';
import { listed } from '../../phrases/lists.ts';
import { hasEndpointIn } from '../../pods/bad-replicas.ts';
import { isWrongPort, lackedSetting, secondsRunning } from '../../pods/listening.ts';
import { probedChains } from '../../serving-certificates/chains.ts';
import { defineCheck, fatal } from '../check.ts';

const declares = (pod: Pod, { targetPort, port }: ServicePort): boolean =>
  [...(pod.spec.initContainers ?? []), ...pod.spec.containers].some(({ ports }) =>
    (ports ?? []).some(({ name, containerPort }) =>
      typeof targetPort === 'string' ? name === targetPort : containerPort === (targetPort ?? port),
    ),
  );

/** The image of a container without tag: `registry/policy:v1` and `registry/policy:v2` are the same program. */
const programOf = ({ image }: Container): string | undefined => image?.replace(/(@|:[^/]*$).*/, '');

const imagesOf = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(pods.flatMap(({ spec }) => spec.containers.flatMap((one) => programOf(one) ?? [])));

const shareAnImage = (a: readonly Pod[], b: readonly Pod[]): boolean => {
  const images = imagesOf(a);
  return [...imagesOf(b)].some((image) => images.has(image));
};

type Group = readonly [name: string, pods: readonly Pod[]];

/** Whether each Pod of a workload serves a certificate that is not for the Service, but for other names. */
function isForeign(
  { callout }: Backend,
  facts: Parameters<typeof probedChains>[1],
): (group: Group) => boolean {
  const foreign = probedChains(callout, facts).flatMap(({ pod, verdict }) =>
    verdict.outcome === 'rejected' && verdict.faults.some(({ kind }) => kind === 'name-mismatch')
      ? [pod]
      : [],
  );
  return ([, pods]) => pods.every(({ metadata }) => foreign.includes(metadata.name));
}

/** The programs and subcommands that the containers of Pods start, in place of those of their images. */
const commandsOf = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(
    pods.flatMap(({ spec }) =>
      spec.containers.map(({ command = [], args = [] }) =>
        [...command, ...args].join(' ').replace(/(?:^| )-.*/s, ''),
      ),
    ),
  );

/** Whether the containers of Pods with the image of one that serves lack its setting, which starts the server on this port. */
const lackSetting = (pods: readonly Pod[], serving: readonly Pod[], port: number): boolean =>
  serving
    .flatMap(({ spec }) => spec.containers)
    .some((having) =>
      pods.every(({ spec }) => {
        const alike = spec.containers.filter((one) => programOf(one) === programOf(having));
        return alike.length > 0 && alike.every((one) => lackedSetting(one, having, port) !== undefined);
      }),
    );

/**
 * Whether the Pods of a workload respond without TLS, while those of another one respond as a webhook; or refuse
 * connections, and have had time to start another program of the image, or the same without the setting of the server.
 */
const servesNoTls = (
  tried: readonly ProbedEndpoint[],
  groups: readonly Group[],
  takenAt: string,
): ((group: Group) => boolean) => {
  const ended = (isMeant: (endpoint: ProbedEndpoint) => boolean) =>
    new Set(tried.filter(isMeant).map(({ pod }) => pod));
  const serving = ended(({ callResult }) => ['answers', 'denies'].includes(callResult.outcome));
  const plain = ended((one) => hasFailed(one) && ['plain-http', 'not-tls'].includes(one.callResult.fault));
  const closed = ended((one) => hasFailed(one) && one.callResult.fault === 'refused');
  const responding = groups.flatMap(([, pods]) => pods.filter(({ metadata }) => serving.has(metadata.name)));
  const commands = commandsOf(responding);
  const port = tried.find(({ pod }) => closed.has(pod))?.probe?.port ?? 0;
  const isAlike = (pods: readonly Pod[]): boolean =>
    [...commandsOf(pods)].some((one) => commands.has(one)) && !lackSetting(pods, responding, port);
  return ([, pods]) =>
    serving.size > 0 &&
    (pods.every(({ metadata }) => plain.has(metadata.name)) ||
      (pods.every((pod) => closed.has(pod.metadata.name) && secondsRunning(pod, takenAt) >= startupSeconds) &&
        !isAlike(pods)));
};

/** The workloads that serve the webhook, and the others that the Service selects, with the certificate or program that shows it. */
function separated(backend: Backend, tried: readonly ProbedEndpoint[], facts: ProbeFacts) {
  const groups = [...byWorkload(replicaPods(facts.pods.get(backend.key) ?? []))];
  const isForeignGroup = isForeign(backend, facts);
  const isPlainGroup = servesNoTls(tried, groups, facts.takenAt);
  const isOfOther = (group: Group): boolean => isForeignGroup(group) || isPlainGroup(group);
  const owners = groups.filter(
    (group) => group[1].some((pod) => declares(pod, backend.port)) && !isOfOther(group),
  );
  const serving = owners.flatMap(([, pods]) => pods);
  // One image may run as several programs: a refused connection shows that.
  const isOtherProgram = (pods: readonly Pod[]): boolean =>
    !shareAnImage(serving, pods) || tried.some((one) => hasFailed(one) && isWrongPort(one, pods));
  const others = groups.filter(
    (group) => !owners.includes(group) && (isOfOther(group) || isOtherProgram(group[1])),
  );
  const shownBy = others.some(isPlainGroup) ? ('program' as const) : undefined;
  return { owners, others, shownBy: others.some(isForeignGroup) ? ('foreign' as const) : shownBy };
}

const labelsEvidence = (pod: Pod): Evidence => ({
  object: refOfPod(pod),
  field: 'metadata.labels',
  value: labelsText(pod.metadata.labels ?? {}),
});

export const selectorCoversOtherWorkload = defineCheck({
  meta: {
    id: 'selector-covers-other-workload',
    title: 'Service selects Pods of another workload',
    severity: 'warning',
    consequence: 'degraded',
    why: 'Labels that several workloads share (`app.kubernetes.io/name` of a whole product) add all their Pods to the Service. Connections to the other Pods are refused, or another program responds, so some requests fail.',
    advice:
      '[look] Find a label that only the Pods of the webhook have, such as `app.kubernetes.io/component`: `kubectl -n {namespace} get pods --show-labels`. [end] Add this label to the selector: `kubectl -n {namespace} edit service {service}`.',
    messages: {
      some: 'Service {service} also selects Pods of {others}, which do not declare port {port} of {owner} ({bad} of {total} endpoints)',
      foreign:
        'Service {service} also selects Pods of {others}, which serve port {port} with a certificate for other names than {owner} ({bad} of {total} endpoints)',
      program:
        'Service {service} also selects Pods of {others}, which do not serve HTTPS on port {port} as {owner} does ({bad} of {total} endpoints)',
      only: fatal(
        'All endpoints of Service {service} belong to {others}, without port {port}; {owner}, which declares it, has no ready Pod',
      ),
    },
    references: ['/docs/concepts/services-networking/service/#defining-a-service'],
  },
  requires: probeFacts,
  subjects: (facts) =>
    backends(facts).filter(
      (backend) =>
        hasSelector(backend) && facts.pods.known(backend.key) && facts.endpointSlices.known(backend.key),
    ),
  run(backend, facts, find) {
    const { key: service, port, callout } = backend;
    const usable = usableBehind(backend, facts);
    const tried = probedCallouts(facts).includes(callout) ? probedEndpoints(callout, facts) : [];
    const { owners, others, shownBy } = separated(backend, tried, facts);
    const selected = others
      .map(([name, pods]) => [name, pods.filter(hasEndpointIn(usable))] as const)
      .filter(([, pods]) => pods.length > 0);
    if (owners.length === 0 || selected.length === 0) return undefined;
    const pods = selected.flatMap(([, some]) => some);
    const outcomes = pods.map(({ metadata }) => tried.find(({ pod }) => pod === metadata.name));
    // They listen on the port, although they do not declare it.
    if (shownBy === undefined && outcomes.every((one) => one?.callResult.outcome === 'answers'))
      return undefined;
    const [bad, total] = [pods.length, usable.length];
    const data = {
      ...{ service, bad, total },
      others: listed(selected.map(([name]) => name)),
      owner: listed(owners.map(([name]) => name)),
      port: port.targetPort ?? port.port,
    };
    const isObserved = shownBy !== undefined || outcomes.every((one) => one && hasFailed(one));
    return find(
      shownBy ?? (bad === total ? 'only' : 'some'),
      data,
      [selectorEvidence(backend), ...pods.map(labelsEvidence)],
      isObserved ? 'observed' : 'derived',
    );
  },
});
