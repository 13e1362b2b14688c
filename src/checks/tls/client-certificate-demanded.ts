import {
  alertFacts,
  byReplicas,
  demandingAlerts,
  demandsCertificate,
  probed,
  toldAlert,
} from '../../apiserver/connection/handshake-alerts.ts';
import { ownCall } from '../../apiserver/connection/probed.ts';
import { isAdmission } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

export const clientCertificateDemanded = defineCheck({
  meta: {
    id: 'client-certificate-demanded',
    link: 'tls',
    title: 'Server requires a client certificate',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-certificate-missing': 1, 'tls-alert': 1 },
    why: 'To conversion webhooks the API server presents no client certificate, to admission webhooks only with a kubeconfig in `--admission-control-config-file`, which no API shows; then this command is rejected and the call succeeds. Otherwise the call fails with `remote error: tls: certificate required`, `bad certificate`, or with TLS 1.2 `handshake failure`.',
    advice:
      'Configure the server not to require a client certificate on this port, or give the API server one with `--admission-control-config-file`. A mesh sidecar in strict mode causes the same: exclude the port from the mesh.',
    noRemedy: 'in-the-server',
    messages: {
      ...byReplicas(
        'The TLS handshake with {who} fails: the server requires a client certificate, and the API server presents none',
      ),
      unproven: {
        text: 'The TLS handshake with {who} fails without a client certificate; unknown: whether the API server presents one',
        severity: 'warning',
        consequence: 'unknown',
      },
    },
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    // The aggregator presents its proxy certificate to an APIService's server: it may well be taken.
    const own = ownCall({ callout, ref: callout.ref }, facts);
    if (callout.kind === 'aggregated-api' || (isAdmission(callout) && own === 'passes')) return undefined;
    const told = toldAlert(callout, facts, demandingAlerts, demandsCertificate);
    if (told === undefined) return undefined;
    const { who, evidence, extent } = told;
    const isProven = extent === 'spare' || !isAdmission(callout) || own === 'fails';
    return isProven
      ? told.tell(find(extent, { who }, evidence, 'observed'))
      : find('unproven', { who }, evidence, 'observed');
  },
});
