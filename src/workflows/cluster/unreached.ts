import type { CertificateReport } from '../../diagnose/certificates/certificate-report.ts';
import type { DoctorReport, WebhookList } from '../../diagnose/report.ts';
import type { NotLookedAt } from '../../facts/unread.ts';
import type { WhatIfReport } from '../../what-if/what-if-report.ts';

/** One of several clusters that could not be read. */
export interface UnreachedCluster {
  readonly context: string;
  readonly server: string;
  readonly why: NotLookedAt['why'];
  /** The reason, in one sentence. */
  readonly error: string;
}

const core = ({ context, server, why, error }: UnreachedCluster) => ({
  apiVersion: 'kubectl-webhook/v1' as const,
  takenAt: new Date().toISOString(),
  cluster: { server, context, error },
  notLookedAt: [{ what: 'the cluster', why, detail: error }],
});

const noCallouts = { total: 0, healthy: 0, degraded: 0, failing: 0, unknown: 0 };
const noFindings = { error: 0, warning: 0, info: 0 };

/** Doctor's report about it: all is unknown. */
export const unreachedReport = (cluster: UnreachedCluster): DoctorReport => ({
  ...core(cluster),
  kind: 'DoctorReport',
  summary: {
    callouts: noCallouts,
    findings: noFindings,
  },
  callouts: [],
  findings: [],
  stories: [],
  blocked: [],
  unchecked: [],
  possiblyBlocked: [],
  coverage: { callouts: 0, probed: 0, notProbed: 0 },
});

/** The report of cert-check about it. */
export const unreachedCertificates = (cluster: UnreachedCluster): CertificateReport => ({
  ...core(cluster),
  kind: 'CertificateReport',
  summary: {
    callouts: { total: 0, accepted: 0, degraded: 0, rejected: 0, unknown: 0 },
    findings: noFindings,
  },
  certificates: [],
  callouts: [],
  findings: [],
});

/** The report of list about it. */
export const unreachedList = (cluster: UnreachedCluster): WebhookList => ({
  ...core(cluster),
  kind: 'WebhookList',
  items: [],
});

/** The report of what-if about it. */
export const unreachedWhatIf = (cluster: UnreachedCluster): WhatIfReport => ({
  ...core(cluster),
  kind: 'WhatIfReport',
  assume: [],
  before: { callouts: noCallouts, findings: noFindings },
  after: { callouts: noCallouts, findings: noFindings },
  changes: [],
  findings: [],
  resolved: [],
});
