import { trustOf } from '../../../apiserver/certificate/anchors.ts';
import { ownCallEnd } from '../../../apiserver/connection/own-call.ts';
import { parseCallError } from '../../../apiserver/sentences/call-error/parse-call-error.ts';
import { urlParts } from '../../../basics/url.ts';
import { type Callout, calloutId, clientConfigEvidence, isServiceBacked } from '../../../facts/callout.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { requestedInjector } from '../../../products/ca-injectors.ts';
import { ownInjector, runsInBackend } from '../../../products/writers.ts';
import { verified } from '../../../serving-certificates/chains.ts';
import { defineCheck, type Finding } from '../../check.ts';
import { notRunning } from '../../replica/not-running.ts';
import { writerFails } from '../writer/certificate-writer-check.ts';

/** The API server's error in this run, if the system roots do not trust this server. */
function distrustAt(callout: Callout, { probes }: Pick<Facts, 'probes'>): string | undefined {
  const id = calloutId(callout);
  const probed = probes.getIfKnown(id);
  const end = probed && ownCallEnd(callout, probed);
  if (end?.outcome !== 'fails') return undefined;
  return parseCallError(end.sentence)?.cause?.kind === 'unknown-authority' ? end.sentence : undefined;
}

/** Orders the finding last: other faults of the chain are found before the system roots are used. */
const last = (finding: Finding): Finding => ({ ...finding, place: Number.MAX_SAFE_INTEGER });

export const caBundleEmpty = defineCheck({
  meta: {
    id: 'ca-bundle-empty',
    title: 'caBundle is empty, and the system roots do not suffice',
    consequence: 'failing',
    why: "Without a caBundle, the API server trusts only the system roots of its own host, and no public CA signs names that end in `.svc`. Unless the cluster's CA was added there, the call fails with `x509: certificate signed by unknown authority`.",
    advice:
      '[look] Find the process that writes the caBundle among the managers of the configuration: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`. [look] Read the log of that process. [end] If no process writes it, set `caBundle` to the PEM of the CA that signed the serving certificate, encoded once with base64: `kubectl edit {kind} {configuration}`.',
    messages: {
      systemRoots: 'caBundle is empty: the API server trusts only its own system roots for {host}',
      notInjected: {
        text: 'caBundle is empty: {injector} has not filled it in, as the annotation {annotation} requests',
        advice:
          '[look] Check that the injector runs and is allowed to write, and read its log: `kubectl -n {place} logs {affected}`.',
      },
      // Everything that prevents the writer from running.
      notWritten: {
        text: 'caBundle is empty: {writer} must write the field, and has not',
        advice:
          '[safe] Restart the backend: many programs write the caBundle only when they start: `kubectl -n {namespace} rollout restart {workload}`. [look] If that does not help, find the process that writes the caBundle among the managers of the configuration: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`. [look] Read the log of that process. [end] If no process writes it, set `caBundle` to the PEM of the CA that signed the serving certificate, encoded once with base64: `kubectl edit {kind} {configuration}`.',
        follows: [...notRunning, 'workload-cannot-create-pods', 'rollout-paused', 'workload-scaled-to-zero'],
      },
      // A restart of the backend does not run a Job or an operator again.
      notWrittenElsewhere: {
        text: 'caBundle is empty: {writer} must write the field, and has not',
        follows: [...notRunning, 'workload-cannot-create-pods', 'rollout-paused', 'workload-scaled-to-zero'],
      },
      atUrl: {
        text: 'caBundle is empty, and no system root of the API server signed the certificate of {host}',
        advice:
          '[end] Set `caBundle` to the PEM of the CA that signed the serving certificate, encoded once with base64: `kubectl edit {kind} {configuration}`. [end] Or use a certificate of a public CA: for a URL with a public name, an empty caBundle is correct.',
      },
    },
    follows: ['certificate-not-issued', 'ca-injection-broken', ...writerFails],
    references: ['https://cert-manager.io/docs/concepts/ca-injector/'],
  },
  requires: ['callouts', 'version', 'probes'],
  subjects: verified,
  run(callout, facts, find) {
    if (trustOf(callout, facts.version)?.kind !== 'system-roots') return undefined;
    const evidence = [clientConfigEvidence(callout, 'caBundle', 'none')];
    if (!isServiceBacked(callout)) {
      const detail = distrustAt(callout, facts);
      const host = urlParts(callout.client.url ?? '')?.host ?? '';
      return detail === undefined
        ? undefined
        : last(find('atUrl', { host }, [...evidence, { object: callout.ref, value: detail }], 'observed'));
    }
    const requested = requestedInjector(callout.metadata);
    if (requested !== undefined) {
      const { annotation, name, log } = requested.injector;
      const field = `metadata.annotations["${annotation}"]`;
      const says = { object: callout.ref, field, value: requested.value };
      return last(find('notInjected', { injector: name, annotation }, [...evidence, says], log));
    }
    const writer = ownInjector(callout);
    if (writer !== undefined) {
      const isElsewhere = writer.isJob === true || !runsInBackend(writer, callout);
      return last(
        find(isElsewhere ? 'notWrittenElsewhere' : 'notWritten', { writer: writer.name }, evidence),
      );
    }
    const { name, namespace } = callout.client.service;
    return last(find('systemRoots', { host: `${name}.${namespace}.svc` }, evidence));
  },
});
