import { identityRights, recordRights, takeBackRights, touchRights } from '../../change/change-rights.ts';
import type { Touch } from '../../change/plan.ts';
import { baseRights } from '../../collect/base.ts';
import { aggregatedApiRights } from '../../collect/collectors/api-services.ts';
import { conversionRights } from '../../collect/collectors/conversion-webhooks.ts';
import { metricsRights } from '../../collect/collectors/metrics.ts';
import { namespaceRights } from '../../collect/collectors/namespaces.ts';
import { admissionRights } from '../../collect/collectors/webhook-configurations.ts';
import { effectRights } from '../../collect/effects.ts';
import { examineRights } from '../../collect/examine.ts';
import { certificateExamineRights } from '../../collect/examine-certificates.ts';
import { keepingRights } from '../../collect/keeping.ts';
import { missedPodsRights } from '../../collect/missed-pods.ts';
import { forwardRights } from '../../collect/probes/probe-replica.ts';
import { proxyRights } from '../../collect/probes/proxies.ts';
import { victimRights } from '../../collect/victim.ts';
import type { ProbeLevel } from '../../facts/probes.ts';
import type { Right } from '../../facts/right.ts';
import { catalogue } from '../../remedies/catalogue.ts';
import { restorerGrants, restorerTouches } from '../change/restorer.ts';

/** What rights are asked for. */
export interface RightsQuestion {
  readonly probe: ProbeLevel;
  /** Ids of remedies; empty for all. */
  readonly remedies: readonly string[];
  /** With `failopen --restore-with=cronjob`. */
  readonly restorer: boolean;
  /** Of the dry runs that this cluster's webhooks call for. */
  readonly dryRuns: readonly Right[];
}

const configurations: readonly Touch[] = [
  { operation: 'patch', kinds: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] },
];

const looking = ({ probe, dryRuns }: RightsQuestion): readonly Right[] => [
  ...baseRights,
  ...examineRights,
  ...effectRights,
  ...missedPodsRights,
  ...keepingRights,
  ...(probe === 'none' ? [] : [...forwardRights, ...proxyRights]),
  ...(probe === 'review' ? dryRuns : []),
];

const touchesOf = ({ remedies }: RightsQuestion): readonly Touch[] =>
  catalogue
    .filter(({ meta }) => remedies.length === 0 || remedies.includes(meta.id))
    .flatMap(({ meta }) => meta.touches);

const failurePolicy = (question: RightsQuestion): readonly Right[] => [
  ...looking({ ...question, probe: 'none' }),
  ...identityRights,
  ...touchRights(configurations),
];

const takingBack = (question: RightsQuestion): readonly Right[] => [
  ...identityRights,
  ...recordRights,
  ...takeBackRights([
    ...configurations,
    ...touchesOf(question),
    ...(question.restorer ? restorerTouches : []),
  ]),
];

/** The rights of each command that talks to a cluster, from what its parts declare. */
export const commandRights: Readonly<Record<string, (question: RightsQuestion) => readonly Right[]>> = {
  doctor: (question) => [...looking(question), ...victimRights, ...metricsRights],
  'cert-check': ({ probe }) => [
    ...baseRights,
    ...certificateExamineRights,
    ...keepingRights,
    ...(probe === 'none' ? [] : forwardRights),
  ],
  fix: (question) => [...looking(question), ...identityRights, ...touchRights(touchesOf(question))],
  failopen: (question) => [
    ...failurePolicy(question),
    ...(question.restorer ? [...touchRights(restorerTouches), ...restorerGrants] : []),
  ],
  failclosed: failurePolicy,
  undo: takingBack,
  changes: (question) =>
    takingBack(question).map((right) => ({
      ...right,
      verbs: right.verbs.filter((verb) => verb === 'get' || verb === 'list'),
    })),
  alerts: () => [...admissionRights, ...conversionRights, ...aggregatedApiRights],
  scan: (question) => looking({ ...question, probe: question.probe === 'none' ? 'none' : 'connect' }),
  soak: ({ dryRuns }) => [...admissionRights, ...namespaceRights, ...dryRuns],
  completion: () => [
    ...admissionRights,
    ...admissionRights.map((right) => ({
      ...right,
      verbs: ['get' as const],
      use: 'the webhooks of a configuration that was typed',
    })),
    ...conversionRights,
    ...aggregatedApiRights,
    ...namespaceRights,
  ],
};
