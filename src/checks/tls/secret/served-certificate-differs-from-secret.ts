import { parseChain } from '../../../apiserver/certificate/parse/parse-chain.ts';
import { defined } from '../../../basics/collections.ts';
import type { Callout } from '../../../facts/callout.ts';
import type { Evidence } from '../../../facts/evidence.ts';
import type { World } from '../../../facts/snapshot.ts';
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
import { type ServingSecret, servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { defineCheck, type Find, type Finding, fatal, fatalForSome, type Messages } from '../../check.ts';

/** The kubelet writes a renewed Secret into the files of its Pods within two minutes. */
const restartPods =
  '[end] Restart the Pods, if the certificate was renewed more than two minutes ago: `kubectl -n {namespace} rollout restart {workload}`. [prevent] For the next renewal, let the process reload the files (`--reload`, certwatcher), or restart it when the Secret changes.';

/** `expired on 2026-11-27`; another fault stands in the error. */
function ageText({ verdict, presented }: CertificateChain): string {
  const [fault] = verdict.outcome === 'rejected' ? verdict.faults : [];
  const isOwn = fault?.certificate?.raw.equals(Buffer.from(presented[0] ?? [])) === true;
  return isOwn && fault.kind === 'expired'
    ? `expired on ${dayOf(fault.certificate.notAfter)}`
    : 'is outdated';
}

const advice =
  '[look] Check first that the caBundle trusts the new certificate: `kubectl webhook cert-check {configuration}`. [end] If the difference lasts longer than two minutes, restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.';

const messages = {
  notReloaded: fatal(
    '{certificate} {isOld}: the process has not loaded the renewed one from {secretOrConfigMap}',
    restartPods,
  ),
  notUpdated: fatal(
    '{certificate} {isOld}: {secretOrConfigMap} is mounted with `subPath`, so the kubelet never updates the file',
    '[end] Restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [prevent] Then mount the volume as a directory, without `subPath`; otherwise the next renewal does not reach the Pods either: `kubectl -n {namespace} edit {workload}`.',
  ),
  someNotReloaded: fatalForSome(
    '{certificate} {isOld}: the process has not loaded the renewed one from {secretOrConfigMap}; others are accepted',
    restartPods,
  ),
  leaderReloaded: fatalForSome(
    '{certificate} {isOld}: only the leader, Pod {leader}, has loaded the renewed one from {secretOrConfigMap}',
    '[end] Restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [prevent] Then update the program: a certwatcher that is added to the manager of controller-runtime before 0.22 runs only on the leader.',
  ),
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
} as const satisfies Messages;

const requires = [...chainFacts, 'leases'] as const;

type ReloadFacts = World<(typeof requires)[number]>;

/** The certificate in the Secret or ConfigMap, as evidence. */
function storedEvidence(serving: ServingSecret, { version }: ReloadFacts): Evidence {
  const { kind, namespace, name, certificateKey, chain } = serving;
  const [stored] = parseChain(chain, version);
  const value = stored === undefined ? 'a certificate that Go cannot read' : described(stored);
  return { object: { kind, namespace, name }, field: `data[${certificateKey}]`, value };
}

/** A Secret, its certificate as `leafOf` has it, and the chains that Pods serve. */
interface ComparedSecret extends ServingSecret {
  readonly lying: string;
  readonly served: readonly CertificateChain[];
}

/** Reports Pods whose certificate is rejected because they have not loaded the one in the Secret, which is accepted. */
function notReloaded(
  callout: Callout,
  { served, ...serving }: ComparedSecret,
  facts: ReloadFacts,
  find: Find<typeof messages, typeof advice>,
): Finding | undefined {
  const old = served.filter(
    (chain) =>
      leafOf(chain) !== serving.lying &&
      !isOfOtherServer(chain, facts) &&
      chain.verdict.outcome === 'rejected' &&
      mayBeOutdated(callout, chain, serving, facts),
  );
  const [outdated] = old;
  if (outdated === undefined) return undefined;
  const current = served.filter((chain) => leafOf(chain) === serving.lying);
  const leader = onlyLeaderReloads(callout, current, serving, facts);
  const isAll = served.every((chain) => chain.verdict.outcome === 'rejected');
  const ofAll = isMountedBySubPath(callout, serving, facts) ? 'notUpdated' : 'notReloaded';
  const data = {
    certificate: certificateOwnerText(old, served),
    isOld: ageText(outdated),
    secretOrConfigMap: serving.secretOrConfigMap,
    leader: leader ?? '',
  };
  const evidence = [
    ...old.slice(0, 4).map((chain) => chainEvidence(chain, facts.version)),
    storedEvidence(serving, facts),
  ];
  const ofSome = isAll ? ofAll : 'someNotReloaded';
  const found = find(leader === undefined ? ofSome : 'leaderReloaded', data, evidence);
  return { ...found, ...defined({ predictedError: chainErrorText(outdated) }) };
}

export const servedCertificateDiffersFromSecret = defineCheck({
  meta: {
    id: 'served-certificate-differs-from-secret',
    title: 'Pods do not serve the certificate in their Secret',
    severity: 'warning',
    confidence: 'observed',
    why: 'The Secret was renewed, and the processes still serve the certificate that they loaded before. The kubelet updates a mounted Secret within about two minutes (never with subPath), but many programs read the files once. Calls fail when the old certificate expires or its CA is removed from the caBundle.',
    advice,
    messages,
    follows: ['host-network-port-conflict'],
    references: ['/docs/concepts/configuration/secret/#using-secrets-as-files-from-a-pod'],
  },
  requires,
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const served = reachableChains(chainsOf(callout, facts)).filter(
      ({ source, url }) => source === 'served' && url === undefined,
    );
    const serving = servingSecret(callout, facts);
    const lying = serving?.chain[0]?.toString('base64');
    const [behind] = served.filter((chain) => leafOf(chain) !== lying && !isOfOtherServer(chain, facts));
    if (serving === undefined || lying === undefined || behind === undefined) return undefined;
    const verdict = verdictOn(callout, serving.chain, facts);
    if (verdict.outcome === 'accepted') {
      const found = notReloaded(callout, { ...serving, served, lying }, facts, find);
      if (found !== undefined) return found;
    }
    if (new Set(served.map(leafOf)).size > 1) return undefined;
    const [now] = parseChain(behind.presented, facts.version);
    const data = {
      secretOrConfigMap: serving.secretOrConfigMap,
      error:
        verdict.outcome === 'rejected'
          ? (chainErrorText({ ...behind, verdict }) ?? verdict.faults[0].text)
          : '',
      day: now === undefined ? '?' : dayOf(now.notAfter),
    };
    const evidence = [chainEvidence(behind, facts.version), storedEvidence(serving, facts)];
    return find(verdict.outcome === 'rejected' ? 'rejected' : 'accepted', data, evidence);
  },
});
