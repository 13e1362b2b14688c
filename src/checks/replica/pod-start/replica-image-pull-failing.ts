import type { Pod } from '../../../facts/objects/pod.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { allContainers } from '../../../facts/workloads/pod-context.ts';
import { workloadOfPod } from '../../../facts/workloads/workloads.ts';
import { brief } from '../../../phrases/brief.ts';
import { inState } from '../../../pods/bad-replicas.ts';
import { workloadText } from '../../../pods/workload-search.ts';
import { latent } from '../../check.ts';
import { badPodsCheck } from '../bad-pods-check.ts';

/** Errors of containerd and CRI-O for a pull (containerd remotes/docker, Go's net package). */
const reasons = [
  // failed with status code [manifests v9]: 429 Too Many Requests; toomanyrequests: You have reached your … rate limit
  ['limited', /\b429 Too Many Requests\b|\btoomanyrequests\b/i],
  // failed to do request: Head "https://…": dial tcp: lookup registry.invalid on 10.0.0.2:53: no such host
  ['unreachable', /\bdial tcp\b|\bno such host\b|TLS handshake timeout|Client\.Timeout exceeded/],
  // pull access denied, repository does not exist or may require authorization: … insufficient_scope
  [
    'refused',
    /(?<![\w.:/-])40[13](?![\w.:-])|unauthorized|pull access denied|authorization failed|no basic auth credentials/i,
  ],
  // registry.example.com/policy:v9: not found; manifest unknown
  ['absent', /: not found\b|manifest unknown|name unknown/],
] as const;

/** The Secrets that the kubelet does not find for the pull of a Pod (kubernetes pkg/kubelet/kubelet_pods.go). */
function missingPullSecrets({ metadata }: Pod, { events }: Pick<Facts, 'events'>): string | undefined {
  const event = (events.getIfKnown(metadata.namespace ?? '') ?? []).find(
    ({ reason, involvedObject: { name } }) =>
      reason === 'FailedToRetrieveImagePullSecret' && name === metadata.name,
  );
  return /image pull secrets \(([^)]+)\)/.exec(event?.message ?? '')?.[1];
}

/** The workload of a Pod, if its Pod template does not have this container: admission has added it. */
function notOfTemplate(
  pod: Pod,
  container: string,
  { workloads }: Pick<Facts, 'workloads'>,
): string | undefined {
  const { kind, name } = workloadOfPod(pod);
  const maker = (workloads.getIfKnown(pod.metadata.namespace ?? '') ?? []).find(
    (one) => one.kind === kind && one.metadata.name === name,
  );
  if (maker === undefined) return undefined;
  const { initContainers = [], containers } = maker.spec.template.spec;
  return [...initContainers, ...containers].some((one) => one.name === container)
    ? undefined
    : workloadText(maker);
}

export const replicaImagePullFailing = badPodsCheck({
  id: 'replica-image-pull-failing',
  title: 'Pod cannot pull its image',
  why: 'Without the image, the container does not start. The kubelet retries with a growing delay of up to five minutes.',
  advice:
    '[look] Read the error of the registry: `kubectl -n {namespace} describe pod {pod}`. [end] If a rollout changed the image, undo it: `kubectl -n {namespace} rollout undo {revised}`. [look] Compare the image name and tag with the registry, and check `imagePullSecrets` and the connection from the node to the registry.',
  messages: {
    all: '{pods} cannot pull image {image} ({detail})',
    injected: {
      text: '{pods} cannot pull image {image} of container {container}, which is not in the Pod template of {maker} ({detail})',
      advice:
        '[with] A mutating webhook has added the container. [end] Correct the image in the settings of that webhook, or exclude these Pods from it, and delete the Pod: `kubectl get mutatingwebhookconfigurations`.',
    },
    unreachable: {
      text: '{pods} cannot pull image {image}: the node cannot reach the registry ({detail})',
      advice:
        '[end] Compare the host in the image name with that of the registry: `kubectl -n {namespace} edit {workload}`. [end] If the host is right, correct DNS, proxy or firewall of the node.',
    },
    refused: {
      text: '{pods} cannot pull image {image}: the registry refuses access to it ({detail})',
      advice:
        '[look] Compare the image name with the registry, which refuses a name that does not exist in the same way. [end] If the name is right, `imagePullSecrets` of the Pod template or of its ServiceAccount must name a Secret that is valid for this registry: `kubectl -n {namespace} edit {workload}`. [look] List the Secrets: `kubectl -n {namespace} get secrets`.',
    },
    secret: {
      text: '{pods} cannot pull image {image}: imagePullSecret {secret} does not exist, and the registry refuses access ({detail})',
      advice:
        '[end] Create the Secret in the namespace of the Pod, with a login for this registry: `kubectl create secret docker-registry --help`. [end] Or correct `imagePullSecrets`: `kubectl -n {namespace} edit {workload}`.',
    },
    limited: {
      text: '{pods} cannot pull image {image}: the registry limits the number of pulls ({detail})',
      advice:
        '[end] The kubelet retries; the limit ends by itself. [end] For a higher limit, add a login to `imagePullSecrets`, or use a mirror of the image: `kubectl -n {namespace} edit {workload}`.',
    },
    absent: {
      text: '{pods} cannot pull image {image}, which the registry does not have ({detail})',
      advice: 'Push the image, or correct its name or tag: `kubectl -n {namespace} edit {workload}`.',
    },
    some: latent('{pods} cannot pull image {image} ({detail}); other Pods serve requests'),
  },
  references: ['/docs/concepts/containers/images/#imagepullbackoff'],
  alsoRequires: ['workloads'],
  isBad: inState('image-pull-failing'),
  run({ extent, first: { pod, state } }, facts, report) {
    const container = allContainers(pod).find(({ name }) => name === state.container?.name);
    const data = {
      image: container?.image ?? state.container?.image ?? '',
      // The kubelet's text between two attempts repeats the image alone.
      detail: brief(state.text ?? '').replace(/^Back-off pulling image "[^"]*"$/, '') || (state.reason ?? ''),
    };
    if (extent !== 'all') return report('some', data);
    const maker = container && notOfTemplate(pod, container.name, facts);
    if (container && maker) return report('injected', { ...data, container: container.name, maker });
    const reason = reasons.find(([, pattern]) => pattern.test(state.text ?? ''))?.[0] ?? 'all';
    const secret = reason === 'refused' ? missingPullSecrets(pod, facts) : undefined;
    return secret === undefined ? report(reason, data) : report('secret', { ...data, secret });
  },
});
