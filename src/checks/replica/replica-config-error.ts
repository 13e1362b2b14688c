import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { workloadArgument, workloadOfPod } from '../../facts/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence, reasonText } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

/** The error of runc for a command that does not exist in the container: its path, or its name if it is not in $PATH. */
const noCommand =
  /exec: \\?"(?<command>[^"\\]+)\\?": (?:stat \S+: no such file or directory|executable file not found in \$PATH)/;

/** The kubelet, for `runAsNonRoot` (pkg/kubelet/kuberuntime/security_context.go). */
const asRoot = /image will run as root|image has non-numeric user/;
/** The kubelet, for an environment variable (pkg/kubelet/kubelet_pods.go). */
const noKey = /couldn't find key (?<key>\S+) in (?<kind>Secret|ConfigMap) (?<object>\S+)/;
/** The API server, for an object that the container refers to. */
const noObject = /(?<kind>secret|configmap) "(?<object>[^"]+)" not found/;

export const replicaConfigError = defineCheck({
  meta: {
    id: 'replica-config-error',
    title: 'Container cannot be created or started',
    severity: 'error',
    consequence: 'failing',
    explains: { 'container-config': 1, 'pod-not-connected': 2 },
    why: 'The kubelet or the container runtime cannot create the container: a referenced Secret or ConfigMap is missing, the command is not in the image, a security setting is not met, or the Pod network fails. The process never starts.',
    advice:
      'Read the error: `kubectl -n {namespace} describe pod {pod}`. Create the object that the error names, or correct the Pod template: `kubectl -n {namespace} edit {affected}`.',
    messages: {
      all: '{pods} cannot start container {container} ({detail})',
      sandbox: {
        text: '{pods} cannot get a network from the node ({detail})',
        advice:
          'Read the error: `kubectl -n {namespace} describe pod {pod}`. Check the Pods of the network plugin on the node: `kubectl get pods -A -o wide --field-selector spec.nodeName={node}`.',
      },
      command: {
        text: '{pods} cannot start container {container}, in which `{command}` does not exist',
        advice:
          'Compare `image`, `command` and `volumeMounts` of the container, and correct what is wrong: `kubectl -n {namespace} edit {affected}`.',
      },
      root: {
        text: '{pods} cannot start container {container}: runAsNonRoot is set, and the image has no numeric user other than 0 ({detail})',
        advice:
          'Set `runAsUser` in its `securityContext` to the number of a user other than 0, or use an image with such a user: `kubectl -n {namespace} edit {affected}`.',
      },
      key: {
        text: '{pods} cannot start container {container}: {object} has no key {key}, which an environment variable requires',
        advice:
          'Correct the name of the key in `env` of the container (`kubectl -n {namespace} edit {affected}`), or add the key to the object. The kubelet retries within minutes.',
      },
      object: {
        text: '{pods} cannot start container {container}: {object} does not exist',
        advice:
          'Create it, or find out why its controller does not. If it has another name, correct the reference: `kubectl -n {namespace} edit {affected}`. The kubelet retries within minutes.',
      },
      some: latent('{pods} cannot start container {container} ({detail}); other Pods serve requests'),
    },
    follows: ['bootstrap-deadlock', 'network-plugin-failing'],
    references: [
      '/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-waiting',
      '/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/',
    ],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, inState('config-error'));
    if (bad === undefined) return undefined;
    const { state } = bad.first;
    const evidence = podEvidence(bad.each);
    const detail = brief(reasonText(state));
    if (bad.extent === 'all' && state.container === undefined) {
      return find('sandbox', { pods: bad.pods, detail }, evidence, bad.names);
    }
    const data = { pods: bad.pods, container: state.container?.name ?? 'of the Pod', detail };
    const affected = workloadArgument(workloadOfPod(bad.first.pod));
    const names = { ...bad.names, affected };
    if (bad.extent !== 'all') return find('some', data, evidence, names);
    const text = state.text ?? '';
    const { pods, container } = data;
    const command = noCommand.exec(text)?.groups?.command;
    if (command !== undefined) return find('command', { pods, container, command }, evidence, names);
    if (asRoot.test(text)) return find('root', { ...data, detail: brief(text) }, evidence, names);
    const { key } = noKey.exec(text)?.groups ?? {};
    const { kind = '', object = '' } = (noKey.exec(text) ?? noObject.exec(text))?.groups ?? {};
    if (object === '') return find('all', data, evidence, names);
    const missing = `${kind.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap'} ${object}`;
    return key === undefined
      ? find('object', { pods, container, object: missing }, evidence, names)
      : find('key', { pods, container, object: missing, key }, evidence, names);
  },
});
