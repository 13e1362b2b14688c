import {
  type AlertFacts,
  alertFacts,
  byReplicas,
  probed,
  toldAlert,
} from '../../apiserver/connection/handshake-alerts.ts';
import { type Callout, calloutId, isAdmission } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

/** A dry run that had to pass the webhook did: the API server has a certificate that no API shows. */
function passedDryRun(callout: Callout, { probes }: AlertFacts): boolean {
  const status = probes.get(calloutId(callout))?.dryRun?.status;
  return isAdmission(callout) && callout.failurePolicy === 'Fail' && status !== undefined && status < 300;
}

export const clientCertificateDemanded = defineCheck({
  meta: {
    id: 'client-certificate-demanded',
    link: 'tls',
    title: 'The server demands a client certificate',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-certificate-missing': 1, 'tls-alert': 1 },
    why: 'The API server presents none to admission and conversion webhooks, unless a kubeconfig is given to the admission plugin (`--admission-control-config-file`), which no API shows; to conversion webhooks never. The call ends in `remote error: tls: certificate required`, `bad certificate`, or under TLS 1.2 `handshake failure`.',
    advice:
      'Let the server ask for no client certificate on this port, or give the API server one with `--admission-control-config-file`. A mesh sidecar in strict mode does the same: exclude the port.',
    noRemedy: 'in-the-server',
    messages: byReplicas('{who} demands a client certificate, and the API server presents none'),
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    // The aggregator presents its proxy certificate to an APIService's server: it may well be taken.
    if (callout.kind === 'aggregated-api' || passedDryRun(callout, facts)) return undefined;
    const told = toldAlert(
      callout,
      facts,
      ['certificate required', 'bad certificate', 'unknown certificate authority', 'handshake failure'],
      // Under TLS 1.2 OpenSSL and Java say no more than this.
      (alert, greeted) => alert !== 'handshake failure' || greeted,
    );
    return told?.tell(find(told.extent, { who: told.who }, told.evidence, 'observed'));
  },
});
