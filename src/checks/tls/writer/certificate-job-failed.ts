import { certificateWriterCheck } from './certificate-writer-check.ts';

const again =
  '[end] Delete the Job: `kubectl -n {namespace} delete job {job}`. [with] Then run `helm upgrade` or a sync of the chart, which creates the Job again.';

const permission =
  'the permission to the Role or ClusterRole of the ServiceAccount, as its chart declares it.';

export const certificateJobFailed = certificateWriterCheck({
  id: 'certificate-job-failed',
  title: 'Certificate Job has not completed',
  why: 'A Job of the chart creates the serving certificate and patches its CA into the caBundle, once per installation or upgrade. While it has not succeeded, the Secret or the caBundle is missing, and nothing else writes them.',
  advice:
    '[look] Read the log of the Job: `kubectl -n {namespace} logs job/{job}`. [look] If the Job has no log, read its Events: `kubectl -n {namespace} describe job {job}`. [end] Fix the cause, and delete the Job: `kubectl -n {namespace} delete job {job}`. [with] Then run `helm upgrade` or a sync of the chart, which creates the Job again.',
  noRemedy: { because: 'only its chart can create the Job again' },
  messages: {
    jobFailed: '{writer} must write the certificate or the caBundle, but failed: {detail}',
    jobWaits: {
      text: '{writer} must write the certificate or the caBundle, but has not completed: {detail}',
      advice:
        '[look] Find out why the Job has not completed: `kubectl -n {namespace} describe job {job}`. [look] If the Pod of the Job runs, read the log: `kubectl -n {namespace} logs job/{job}`.',
    },
    jobRefused: {
      text: '{writer} must write the certificate or the caBundle. The API server refuses the Pods of the Job, because this webhook is down',
      advice:
        '[end] Let the webhook fail open: `kubectl webhook failopen {configuration} --for 30m`. [with] The Job controller then creates the Pod again, within minutes: `kubectl -n {namespace} get job {job} -w`. [prevent] To prevent this deadlock, exclude the Pods of the Job by `objectSelector`, or their namespace by `namespaceSelector`.',
    },
    jobDenied: {
      text: '{writer} must write the certificate or the caBundle, but cannot create Pods: {detail}',
      advice: `[end] Let the policy, quota or limit of the namespace allow the Pods of the Job: the Job then creates its Pod by itself. [end] Or correct \`securityContext\` or \`resources\` of the Job in the values of its chart. ${again}`,
    },
    jobImage: {
      text: '{writer} must write the certificate or the caBundle, but its image is built for another processor architecture than the node ({detail})',
      advice: `[end] Use an image for the architecture of the nodes (\`kubectl get nodes -L kubernetes.io/arch\`): set it in the values of the chart. ${again}`,
    },
    jobPull: {
      text: '{writer} must write the certificate or the caBundle, but cannot pull its image: {detail}',
      advice: `[end] Correct image, registry or \`imagePullSecrets\` of the Job in the values of the chart, or push the image to that registry. ${again}`,
    },
    jobRunsAsRoot: {
      text: '{writer} must write the certificate or the caBundle, but cannot start: {detail}',
      advice: `[end] Set \`runAsUser\` in the \`securityContext\` of the Job to the number of a user other than 0, in the chart or its values. [end] Or use an image with such a user. ${again}`,
    },
    jobForbidden: {
      text: '{writer} must write the certificate or the caBundle, but {detail}',
      advice: `[end] Add ${permission} ${again}`,
    },
    jobElsewhere: {
      text: '{writer} must write the certificate or the caBundle, but its arguments name another namespace: {detail}',
      advice: `[end] Render the chart for the namespace of the Job: set \`--namespace\` of Helm, or \`spec.destination.namespace\` of the Argo CD Application. [with] The \`namespace\` of a kustomization does not change arguments. [end] If the Job must work in the other namespace, add ${permission} ${again}`,
    },
    jobAccount: {
      text: '{writer} must write the certificate or the caBundle, but cannot create Pods: ServiceAccount {detail} does not exist',
      advice:
        '[end] Create the ServiceAccount, with the permissions that its chart declares: `kubectl -n {namespace} create serviceaccount {missing}`. [with] The Job then creates its Pod. [with] If the Job is a Helm hook, the ServiceAccount must be one too, with a lower `helm.sh/hook-weight`.',
    },
    jobNetwork: {
      text: '{writer} must write the certificate or the caBundle, but cannot connect to the API server: {detail}',
      advice: `[look] Check the NetworkPolicies of the namespace, and on the node of its Pod kube-proxy and the network plugin: \`kubectl -n {namespace} get networkpolicies,pods -o wide\`. [end] Allow egress to the API server, or repair the node. ${again}`,
    },
    jobTooEarly: {
      text: '{writer} completed at {detail}, before the configuration was created: its caBundle is not written',
      advice: again,
    },
  },
  references: ['/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy'],
});
