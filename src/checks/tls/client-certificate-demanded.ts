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
    title: 'The server demands a client certificate',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-certificate-missing': 1, 'tls-alert': 1 },
    why: 'To conversion webhooks the API server presents none, to admission webhooks only where a kubeconfig is given to the admission plugin (`--admission-control-config-file`), which no API shows: then it is we who are refused, and the call succeeds. Otherwise the call ends in `remote error: tls: certificate required`, `bad certificate`, or under TLS 1.2 `handshake failure`.',
    advice:
      'Let the server ask for no client certificate on this port, or give the API server one with `--admission-control-config-file`. A mesh sidecar in strict mode does the same: exclude the port.',
    noRemedy: 'in-the-server',
    messages: {
      ...byReplicas('{who} demands a client certificate, and the API server presents none'),
      unproven: {
        text: '{who} demands a client certificate; whether the API server presents one is not known',
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
