import { parseChain } from '../../../apiserver/certificate/parse/parse-chain.ts';
import {
  certificateOwnerText,
  chainErrorText,
  chainEvidence,
  described,
} from '../../../serving-certificates/certificate-faults.ts';
import {
  type CertificateChain,
  chainFacts,
  chainsOf,
  dayOf,
  reachableChains,
  verdictOn,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import {
  isMountedBySubPath,
  isOfOtherServer,
  leafOf,
  mayBeOutdated,
  onlyLeaderReloads,
} from '../../../serving-certificates/reload.ts';
import { servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { defineCheck, fatal } from '../../check.ts';

/** The kubelet writes a renewed Secret into the files of its Pods within two minutes. */
const restartPods =
  '[end] Restart the Pods, if the certificate was renewed more than two minutes ago: `kubectl -n {namespace} rollout restart {workload}`. [prevent] To prevent it at the next renewal, let the process reload the files (`--reload`, certwatcher), or restart it when the Secret changes.';

/** `expired on 2026-11-27`; another fault stands in the error. */
function ageText({ verdict, presented }: CertificateChain): string {
  const [fault] = verdict.outcome === 'rejected' ? verdict.faults : [];
  const isOwn = fault?.certificate?.raw.equals(Buffer.from(presented[0] ?? [])) === true;
  return isOwn && fault?.kind === 'expired' && fault.certificate !== undefined
    ? `expired on ${dayOf(fault.certificate.notAfter)}`
    : 'is outdated';
}

export const servedCertificateDiffersFromSecret = defineCheck({
  meta: {
    id: 'served-certificate-differs-from-secret',
    title: 'Pods do not serve the certificate in their Secret',
    severity: 'warning',
    confidence: 'observed',
    why: 'The Secret was renewed, and the processes still serve the certificate that they loaded before. The kubelet updates a mounted Secret within about two minutes (never with subPath), but many programs read the files once. Calls fail when the old certificate expires or its CA is removed from the caBundle.',
    advice:
      '[look] Check first that the caBundle trusts the new certificate: `kubectl webhook cert-check {configuration}`. [end] If the difference lasts longer than two minutes, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
    messages: {
      notReloaded: {
        ...fatal(
          '{certificate} {isOld}: the process has not loaded the renewed one from {secretOrConfigMap}',
        ),
        advice: restartPods,
      },
      notUpdated: {
        ...fatal(
          '{certificate} {isOld}: {secretOrConfigMap} is mounted with `subPath`, so the kubelet never updates the file',
        ),
        advice:
          '[end] Restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [prevent] Then mount the volume as a directory, without `subPath`; otherwise the next renewal does not reach the Pods either: `kubectl -n {namespace} edit {workload}`.',
      },
      someNotReloaded: {
        text: '{certificate} {isOld}: the process has not loaded the renewed one from {secretOrConfigMap}; others are accepted',
        advice: restartPods,
        severity: 'error',
        consequence: 'degraded',
      },
      leaderReloaded: {
        text: '{certificate} {isOld}: only the leader, Pod {leader}, has loaded the renewed one from {secretOrConfigMap}',
        advice:
          '[end] Restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [prevent] Then update the program: a certwatcher that is added to the manager of controller-runtime before 0.22 runs only on the leader.',
        severity: 'error',
        consequence: 'degraded',
      },
      accepted: {
        text: 'The Pods do not serve the certificate in {secretOrConfigMap}; the served one expires on {day}',
        explains: false,
      },
      rejected: {
        text: 'The Pods do not serve the certificate in {secretOrConfigMap}. The API server would reject it: calls fail after the next restart ({error})',
        advice:
          '[with] Do not restart the Pods yet. [end] Correct the error first: add the CA of the new certificate to `caBundle` (`kubectl edit {kind} {configuration}`), or issue the certificate again. [look] Check the result: `kubectl webhook cert-check {configuration}`.',
        explains: false,
      },
    },
    follows: ['host-network-port-conflict'],
    references: ['/docs/concepts/configuration/secret/#using-secrets-as-files-from-a-pod'],
  },
  requires: [...chainFacts, 'leases'],
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const served = reachableChains(chainsOf(callout, facts)).filter(
      ({ source, url }) => source === 'served' && url === undefined,
    );
    const serving = servingSecret(callout, facts);
    const lying = serving?.chain[0]?.toString('base64');
    const behind = served.filter((chain) => leafOf(chain) !== lying && !isOfOtherServer(chain, facts));
    const [first] = behind;
    if (serving === undefined || lying === undefined || first === undefined) return undefined;
    const verdict = verdictOn(callout, serving.chain, facts);
    const [inSecret] = parseChain(serving.chain, facts.version);
    const { kind, secretOrConfigMap, namespace, name } = serving;
    const says = {
      object: { kind, namespace, name },
      field: `data[${serving.certificateKey}]`,
      value: inSecret === undefined ? 'a certificate that Go cannot read' : described(inSecret),
    };
    const old = behind.filter(
      (chain) => chain.verdict.outcome === 'rejected' && mayBeOutdated(callout, chain, serving, facts),
    );
    const [outdated] = old;
    if (verdict.outcome === 'accepted' && outdated !== undefined) {
      const all = served.every((chain) => chain.verdict.outcome === 'rejected');
      const predictedError = chainErrorText(outdated);
      const isOld = ageText(outdated);
      const certificate = certificateOwnerText(old, served);
      const notLoaded = isMountedBySubPath(callout, serving, facts) ? 'notUpdated' : 'notReloaded';
      const evidence = [...old.slice(0, 4).map((chain) => chainEvidence(chain, facts.version)), says];
      const leader = onlyLeaderReloads(
        callout,
        served.filter((chain) => leafOf(chain) === lying),
        serving,
        facts,
      );
      const found =
        leader === undefined
          ? find(all ? notLoaded : 'someNotReloaded', { certificate, isOld, secretOrConfigMap }, evidence)
          : find('leaderReloaded', { certificate, isOld, secretOrConfigMap, leader }, evidence);
      return predictedError === undefined ? found : { ...found, predictedError };
    }
    if (new Set(served.map(leafOf)).size > 1) return undefined;
    const evidence = [chainEvidence(first, facts.version), says];
    if (verdict.outcome === 'rejected') {
      const error = chainErrorText({ ...first, verdict }) ?? verdict.faults[0].text;
      return find('rejected', { secretOrConfigMap, error }, evidence);
    }
    const [now] = parseChain(first.presented, facts.version);
    return find(
      'accepted',
      { secretOrConfigMap, day: now === undefined ? '?' : dayOf(now.notAfter) },
      evidence,
    );
  },
});
