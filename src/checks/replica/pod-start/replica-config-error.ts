import { lacksNetwork, missingHandler } from '../../../facts/workloads/pod-state.ts';
import { brief } from '../../../phrases/brief.ts';
import { inState, reasonText } from '../../../pods/bad-replicas.ts';
import { latent } from '../../check.ts';
import { badPodsCheck } from '../bad-pods-check.ts';

/** The error of runc for a command that does not exist in the container: its path, or its name if it is not in $PATH. */
const noCommand =
  /exec: \\?"(?<command>[^"\\]+)\\?": (?:stat \S+: no such file or directory|executable file not found in \$PATH)/;

/** The error of runc for a file that is not executable, or is a directory. */
const noProgram = /exec: \\?"(?<command>[^"\\]+)\\?": (?<why>permission denied|is a directory)/;

/** The error of containerd for a profile that it does not find in the seccomp folder of the kubelet. */
const noProfile = /load seccomp profile \\?"(?<profile>[^"\\]+)\\?": open \S+: no such file/;

/** The kubelet, for `runAsNonRoot` (pkg/kubelet/kuberuntime/security_context.go). */
const asRoot = /image will run as root|image has non-numeric user/;
/** The kubelet, for an environment variable (pkg/kubelet/kubelet_pods.go). */
const noKey = /couldn't find key (?<key>\S+) in (?<kind>Secret|ConfigMap) (?<object>\S+)/;
/** The API server, for an object that the container refers to. */
const noObject = /(?<kind>secret|configmap) "(?<object>[^"]+)" not found/;

export const replicaConfigError = badPodsCheck({
  id: 'replica-config-error',
  title: 'Container cannot be created or started',
  why: 'The kubelet or the container runtime cannot create the container, so the process never starts. A Secret, a ConfigMap or the command is missing, a security setting is not met, or the Pod network fails.',
  advice:
    '[look] Read the error: `kubectl -n {namespace} describe pod {pod}`. [end] Create the object that the error names, or correct the Pod template: `kubectl -n {namespace} edit {affected}`.',
  messages: {
    all: '{pods} cannot start container {container} ({detail})',
    sandbox: {
      text: '{pods} cannot get a network from the node ({detail})',
      advice:
        '[look] Check the Pods of the network plugin on the node: `kubectl get pods -A -o wide --field-selector spec.nodeName={node}`. [look] The Events have the complete error: `kubectl -n {namespace} describe pod {pod}`.',
    },
    runtime: {
      text: '{pods} cannot start: the container runtime of node {node} has no handler {handler}, which the RuntimeClass of the Pod names',
      advice:
        'Install that runtime on the nodes, or use the default one, if it is isolated enough: remove `runtimeClassName` from the Pod template: `kubectl -n {namespace} edit {affected}`.',
    },
    node: {
      text: '{pods} cannot start: node {node} fails to create the sandbox ({detail})',
      advice:
        '[look] Read the error: `kubectl -n {namespace} describe pod {pod}`. [look] Then read the log of the container runtime on the node: `journalctl -u containerd`, or `journalctl -u crio`.',
    },
    command: {
      text: '{pods} cannot start container {container}, in which `{command}` does not exist',
      advice:
        'Compare `image`, `command` and `volumeMounts` of the container, and correct the wrong one: `kubectl -n {namespace} edit {affected}`.',
    },
    program: {
      text: '{pods} cannot start container {container}: `{command}` cannot be executed ({why})',
      advice:
        '[end] Correct `command` of the container. [end] If the command is right, make the file executable in the image, or with `defaultMode` of its volume: `kubectl -n {namespace} edit {affected}`.',
    },
    root: {
      text: '{pods} cannot start container {container}: runAsNonRoot is set, and the image has no numeric user other than 0 ({detail})',
      advice:
        'Set `runAsUser` in its `securityContext` to the number of a user other than 0, or use an image with such a user: `kubectl -n {namespace} edit {affected}`.',
    },
    seccomp: {
      text: '{pods} cannot start container {container}: seccomp profile {profile} does not exist on node {node}',
      advice:
        '[end] Use the profile of the container runtime: set `seccompProfile.type: RuntimeDefault` in the `securityContext`: `kubectl -n {namespace} edit {affected}`. [end] Or put the file on every node, in the folder `seccomp` of the kubelet.',
    },
    key: {
      text: '{pods} cannot start container {container}: {object} has no key {key}, which an environment variable requires',
      advice:
        '[end] Add the key to the object, or correct its name in `env` of the container: `kubectl -n {namespace} edit {affected}`. [with] The kubelet retries within minutes.',
    },
    object: {
      text: '{pods} cannot start container {container}: {object} does not exist',
      advice:
        '[end] Create the missing object, or find out why its controller has not. [end] If the object has another name, correct the reference: `kubectl -n {namespace} edit {affected}`. [with] The kubelet retries within minutes.',
    },
    some: latent('{pods} cannot start container {container} ({detail}); other Pods serve requests'),
  },
  follows: ['bootstrap-deadlock', 'network-plugin-failing'],
  references: [
    '/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-waiting',
    '/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/',
  ],
  isBad: inState('config-error'),
  run({ extent, first }, _facts, report) {
    const { state, pod } = first;
    const detail = brief(reasonText(state));
    if (extent === 'all' && state.container === undefined) {
      const { nodeName: node = '' } = pod.spec;
      const handler = missingHandler(state);
      if (handler !== undefined) return report('runtime', { node, handler });
      return lacksNetwork(state) ? report('sandbox', { detail }) : report('node', { node, detail });
    }
    const container = state.container?.name ?? 'of the Pod';
    if (extent !== 'all') return report('some', { container, detail });
    const text = state.text ?? '';
    const command = noCommand.exec(text)?.groups?.command;
    if (command !== undefined) return report('command', { container, command });
    const { command: file, why = '' } = noProgram.exec(text)?.groups ?? {};
    if (file !== undefined) return report('program', { container, command: file, why });
    if (asRoot.test(text)) return report('root', { container, detail: brief(text) });
    const profile = noProfile.exec(text)?.groups?.profile?.replace(/^.*\/seccomp\//, '');
    if (profile !== undefined)
      return report('seccomp', { container, profile, node: pod.spec.nodeName ?? 'of the Pod' });
    const { key } = noKey.exec(text)?.groups ?? {};
    const { kind = '', object = '' } = (noKey.exec(text) ?? noObject.exec(text))?.groups ?? {};
    if (object === '') return report('all', { container, detail });
    const missing = `${kind.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap'} ${object}`;
    return key === undefined
      ? report('object', { container, object: missing })
      : report('key', { container, object: missing, key });
  },
});
