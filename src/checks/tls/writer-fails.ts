/** Checks whose findings explain why nothing writes the current certificate or caBundle. */
export const writerFails = [
  'certificate-job-failed',
  'certificate-writer-not-running',
  'ca-bundle-overwritten',
  'certificate-writer-not-leader',
  'service-account-lacks-rights',
] as const;
