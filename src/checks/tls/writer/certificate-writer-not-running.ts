import { certificateWriterCheck } from './certificate-writer-check.ts';

export const certificateWriterNotRunning = certificateWriterCheck({
  id: 'certificate-writer-not-running',
  title: 'Certificate writer does not run, or writes elsewhere',
  why: 'In some products a separate workload writes the certificate and the caBundle. While that workload has no Pod, neither is written or renewed, and calls fail once they no longer match or have expired.',
  advice:
    '[look] Find out why the Pods of the certificate writer do not run: `kubectl -n {namespace} describe {affected}`.',
  noRemedy: { because: 'nothing shows why the workload was stopped: its owner must start it' },
  messages: {
    scaledToZero: {
      text: '{writer} must write the certificate or the caBundle, but is scaled to 0',
      advice: '[end] Start the certificate writer: `kubectl -n {namespace} scale {affected} --replicas=1`.',
    },
    outOfMemory: {
      text: '{writer} must write the certificate or the caBundle, but is OOMKilled',
      advice:
        '[end] Raise the memory limit of the certificate writer: `kubectl -n {namespace} edit {affected}`. [with] Change the values of its chart or its manifests, too.',
    },
    unavailable: {
      text: '{writer} must write the certificate or the caBundle, but has no available Pod: {detail}',
      advice:
        '[look] Find out why the Pods of the certificate writer do not run: `kubectl -n {namespace} describe {affected}`. [look] If these Pods crash, the end of the log contains the reason: `kubectl -n {namespace} logs {affected} --previous`.',
    },
    misnamed: {
      text: '{writer} writes the caBundle of {detail}, which does not exist, instead of this one',
      advice:
        'Set the name of this configuration in the arguments or environment of that program: `kubectl -n {namespace} edit {affected}`.',
    },
  },
  preventsReadiness: true,
  references: ['/docs/concepts/workloads/controllers/deployment/#failed-deployment'],
});
