import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { workloadArgument, workloadOfPod } from '../../facts/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence, reasonText } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

/** The error of runc for a command that does not exist in the container: its path, or its name if it is not in $PATH. */
const noCommand =
  /exec: \\?"(?<command>[^"\\]+)\\?": (?:stat \S+: no such file or directory|executable file not found in \$PATH)/;

export const replicaConfigError = defineCheck({
  meta: {
    id: 'replica-config-error',
    title: 'Container cannot be created or started',
    severity: 'error',
    consequence: 'failing',
    explains: { 'container-config': 1 },
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
    const command = noCommand.exec(state.text ?? '')?.groups?.command;
    if (bad.extent === 'all' && command !== undefined) {
      return find('command', { pods: bad.pods, container: data.container, command }, evidence, names);
    }
    return find(bad.extent === 'all' ? 'all' : 'some', data, evidence, names);
  },
});
