import {
  alertsWithoutCertificate,
  probed,
  reportedAlert,
} from '../../../apiserver/connection/handshake-alerts.ts';
import { probesAt } from '../../../apiserver/connection/probed-callouts.ts';
import { firstResult } from '../../../basics/collections.ts';
import type { Callout } from '../../../facts/callout.ts';
import { nameIn } from '../../../facts/evidence.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { workloadArgument, workloadOfPod } from '../../../facts/workloads/workloads.ts';
import { certificatesSwitchedOff, containerOfPort } from '../../../pods/listening.ts';
import { defineCheck } from '../../check.ts';
import { alertMessages } from './alert-check.ts';

/** The setting with which the server of these Pods writes no certificate of its own, and its workload. */
const switchedOff = (callout: Callout, facts: Pick<Facts, 'pods' | 'probes'>) =>
  firstResult(knownPods(callout, facts), (pod) => {
    const tried = probesAt(callout, facts)?.replicas.find((one) => one.pod === pod.metadata.name);
    const container = containerOfPort(pod, tried?.port);
    const setting = container && certificatesSwitchedOff(container);
    return setting === undefined ? undefined : { setting, workload: workloadArgument(workloadOfPod(pod)) };
  });

export const serverHasNoCertificate = defineCheck({
  meta: {
    id: 'server-has-no-certificate',
    title: 'Server has no certificate yet',
    consequence: 'failing',
    confidence: 'observed',
    why: 'A Go server that listens before its certificate is loaded aborts the handshake: the call fails with `remote error: tls: internal error`. It may recover within seconds of the start; otherwise the certificate is missing.',
    advice:
      '[look] Find out why the server has no certificate: `kubectl -n {namespace} logs {pod}`. [look] Check that the Secret of the server holds a certificate: `kubectl webhook cert-check {configuration}`.',
    noRemedy: 'in-the-server',
    messages: {
      ...alertMessages('The TLS handshake with {servers} fails: the server has no certificate'),
      switchedOff: {
        text: 'The TLS handshake with {servers} fails: the server has no certificate, and {setting} turns its own certificates off',
        advice:
          '[end] Remove this argument or variable, so that the program writes its certificate: `kubectl -n {namespace} edit {workload}`. [with] Change the values of its chart or its manifests, too. [end] If another program must write the certificate, check its Secret: `kubectl webhook cert-check {configuration}`.',
      },
    },
    follows: [
      'leader-gated-answer',
      'serving-secret-missing',
      'process-cannot-start',
      'service-account-lacks-rights',
    ],
    references: [
      'https://pkg.go.dev/crypto/tls#Config',
      'https://www.rfc-editor.org/rfc/rfc8446#section-6.2',
    ],
  },
  requires: ['callouts', 'probes', 'pods'],
  subjects: probed,
  run(callout, facts, find) {
    const alert = reportedAlert(callout, facts, alertsWithoutCertificate);
    if (alert === undefined) return undefined;
    const { extent, servers, evidence } = alert;
    const { setting, workload } = (extent === 'all' ? switchedOff(callout, facts) : undefined) ?? {};
    const names = { pod: nameIn(evidence, 'Pod'), workload };
    return alert.complete(
      setting === undefined
        ? find(extent, { servers }, evidence, names)
        : find('switchedOff', { servers, setting }, evidence, names),
    );
  },
});
