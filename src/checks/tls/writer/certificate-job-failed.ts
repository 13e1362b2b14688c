import { certificateWriterCheck } from './certificate-writer-check.ts';

export const certificateJobFailed = certificateWriterCheck({
  id: 'certificate-job-failed',
  title: 'Certificate Job has not completed',
  explains: {
    'hook-job-failed': 1,
    'ca-not-injected': 4,
    'certificate-pending': 2,
    'unknown-authority': 4,
    'volume-not-mounted': 4,
    'certificate-secret-missing': 4,
    'certificate-file-missing': 3,
    'container-config': 2,
  },
  why: 'A Job of the chart creates the serving certificate and patches its CA into the caBundle, once per installation or upgrade. While it has not succeeded, the Secret or the caBundle is missing, and nothing else writes them.',
  advice:
    'Read why it failed: `kubectl -n {namespace} logs job/{job}`. If it has no log, read its Events: `kubectl -n {namespace} describe job {job}`. Fix the cause, and delete the Job: `kubectl -n {namespace} delete job {job}`. Then let `helm upgrade` or a sync of the chart create it again.',
  noRemedy: { because: 'only its chart can create the Job again' },
  messages: {
    jobFailed: '{writer} must write the certificate or the caBundle, and failed: {detail}',
    jobWaits: {
      text: '{writer} must write the certificate or the caBundle, and has not completed: {detail}',
      advice:
        'Find out what it waits for: `kubectl -n {namespace} describe job {job}`. If its Pod runs, read the log: `kubectl -n {namespace} logs job/{job}`.',
    },
    jobTooEarly: {
      text: '{writer} completed at {detail}, before the configuration was created: its caBundle is not written',
      advice:
        'Delete the Job: `kubectl -n {namespace} delete job {job}`. Then let `helm upgrade` or a sync of the chart create it again.',
    },
  },
  references: ['/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy'],
});
