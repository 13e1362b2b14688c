import { missingSecretIn } from '../../../apiserver/sentences/logs/missing-secret.ts';
import type { Callout } from '../../../facts/callout.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { lastingStatuses } from '../../../facts/workloads/container-crash.ts';
import { logEvidence, logLines } from '../../../facts/workloads/pod-logs.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { refOfPod } from '../../../facts/workloads/workloads.ts';
import { rotatedSecret } from '../../../products/serving-material.ts';
import {
  type ChainFacts,
  chainFacts,
  knownChains,
  withExaminedCertificates,
} from '../../../serving-certificates/chains.ts';
import { servingSecrets } from '../../../serving-certificates/serving-secret.ts';
import { defineCheck, fatal } from '../../check.ts';
import { writerFails } from '../writer/certificate-writer-check.ts';

/** A Secret that a Pod without a certificate does not find, by its log. */
function loggedAsMissing(callout: Callout, facts: ChainFacts & Pick<Facts, 'logs'>) {
  if (knownChains(callout, facts).some(({ source }) => source === 'served')) return undefined;
  return knownPods(callout, facts)
    .flatMap((pod) => logLines(pod, lastingStatuses(pod), facts))
    .flatMap((logged) => {
      const name = missingSecretIn(logged.line);
      // The line can be older than the Secret.
      const isThere = facts.secrets.getIfKnown(`${logged.pod.metadata.namespace}/${name}`) !== undefined;
      return name === undefined || isThere ? [] : [{ ...logged, name }];
    })
    .at(-1);
}

const createEmpty =
  '[end] Create the Secret empty; the program fills it: `kubectl -n {namespace} create secret generic {secret}`. [with] Add the Secret to the manifests of the program, too.';

/** The program that fills this Secret of the backend, and does not create it; undefined if none is known. */
function filledBy(callout: Callout, name: string): string | undefined {
  const { secret, onlyFills, by } = rotatedSecret(callout) ?? {};
  return secret === name && onlyFills === true ? by : undefined;
}

export const servingSecretMissing = defineCheck({
  meta: {
    id: 'serving-secret-missing',
    title: 'Secret with the serving certificate does not exist',
    severity: 'error',
    why: 'Running Pods keep the certificate that they have loaded. A Pod that starts now waits in ContainerCreating for the Secret: the next eviction, scale-up or node failure causes an outage.',
    advice:
      '[end] Find the program that creates the Secret, and run it again: cert-manager, a Job of the chart (`kubectl -n {namespace} get jobs`), or the operator of the product. [look] Read the state of cert-manager: `kubectl -n {issuing} get certificate`. [end] If the manifest of the product contains an empty Secret that its program fills, apply the manifest again.',
    messages: {
      fills: fatal(
        'Pod {pod} cannot find Secret {secret}, and serves no certificate; {by} fills this Secret',
        createEmpty,
      ),
      emptied: {
        text: '{secretOrConfigMap} does not exist; {by} fills it, and volume {volume} mounts it',
        advice: createEmpty,
        explains: false,
      },
      read: fatal('Pod {pod} cannot find Secret {secret}, and serves no certificate'),
      missing: {
        text: '{secretOrConfigMap} does not exist; volume {volume} mounts it at {path}',
        explains: false,
      },
    },
    preventsReadiness: true,
    follows: ['replica-volume-missing', 'certificate-not-issued', ...writerFails],
    references: ['/docs/concepts/configuration/secret/#restriction-secret-must-exist'],
  },
  requires: [...chainFacts, 'logs'],
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const missing = servingSecrets(callout, facts).find(
      ({ secret, unread, source }) =>
        secret === undefined && unread === undefined && source !== undefined && !source.optional,
    );
    if (missing?.source === undefined) {
      const logged = loggedAsMissing(callout, facts);
      if (logged === undefined) return undefined;
      const { pod, container, line, name } = logged;
      const { name: own, namespace = '' } = pod.metadata;
      const by = filledBy(callout, name);
      const data = { pod: own, secret: `${namespace}/${name}` };
      const evidence = [logEvidence(refOfPod(pod), container, line)];
      return by === undefined
        ? find('read', data, evidence)
        : find('fills', { ...data, by }, evidence, { secret: name });
    }
    const { kind, secretOrConfigMap, source, namespace, name } = missing;
    const { volume, mountPath: path } = source;
    const by = kind === 'Secret' ? filledBy(callout, name) : undefined;
    const evidence = [{ object: { kind, namespace, name }, value: 'not found' }];
    return by === undefined
      ? find('missing', { secretOrConfigMap, volume, path }, evidence)
      : find('emptied', { secretOrConfigMap, volume, by }, evidence, { secret: name });
  },
});
