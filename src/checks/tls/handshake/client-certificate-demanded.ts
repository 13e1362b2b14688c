import {
  alertFacts,
  demandingAlerts,
  demandsCertificate,
  probed,
  reportedAlert,
} from '../../../apiserver/connection/handshake-alerts.ts';
import { ownCall } from '../../../apiserver/connection/own-call-result.ts';
import { isAdmission } from '../../../facts/callout.ts';
import { defineCheck, undecided } from '../../check.ts';
import { alertMessages } from './alert-check.ts';

export const clientCertificateDemanded = defineCheck({
  meta: {
    id: 'client-certificate-demanded',
    title: 'Server requires a client certificate',
    consequence: 'failing',
    confidence: 'observed',
    why: 'The API server presents a client certificate to admission webhooks only with a kubeconfig in `--admission-control-config-file`, which no API shows, and to conversion webhooks never. Without one the call fails with `remote error: tls: certificate required`, `bad certificate`, or with TLS 1.2 `handshake failure`; with one, only this command is rejected.',
    advice:
      '[end] Configure the server not to require a client certificate on this port: `kubectl -n {namespace} edit {workload}`. [end] Or give the API server one with `--admission-control-config-file`. [end] If a mesh sidecar in strict mode requires it, exclude the port from the mesh.',
    noRemedy: 'in-the-server',
    messages: {
      ...alertMessages(
        'The TLS handshake with {servers} fails: the server requires a client certificate, and the API server presents none',
      ),
      unproven: undecided(
        'The TLS handshake with {servers} fails without a client certificate; whether the API server presents one is unknown',
      ),
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers',
    ],
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    // The aggregator presents its proxy client certificate to the server of an APIService, which may accept
    // it.
    const own = ownCall(callout, facts);
    if (callout.kind === 'aggregated-api' || (isAdmission(callout) && own === 'passes')) return undefined;
    const alert = reportedAlert(callout, facts, demandingAlerts, demandsCertificate);
    if (alert === undefined) return undefined;
    const { servers, evidence, extent } = alert;
    const isProven = extent === 'spare' || !isAdmission(callout) || own === 'fails';
    return isProven
      ? alert.complete(find(extent, { servers }, evidence))
      : find('unproven', { servers }, evidence);
  },
});
