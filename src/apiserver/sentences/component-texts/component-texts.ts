import type { CallErrorKind } from '../call-error/call-error.ts';
import type { Symptom } from '../call-error/cause-kind.ts';
import { aggregatedApiTexts } from './aggregated-apis.ts';
import { apiClientTexts } from './api-clients.ts';
import { apiServerRefusalTexts } from './api-server-refusals.ts';
import { certificateWriterTexts } from './certificate-writers.ts';
import { controlPlaneTexts } from './control-plane.ts';
import { conversionTexts } from './conversions.ts';
import { deletionTexts } from './deletions.ts';
import type { DenialReason } from './denial-reasons.ts';
import { leaseTexts } from './leases.ts';
import { permissionTexts } from './permissions.ts';
import { processTexts } from './processes.ts';
import { providerTexts } from './providers.ts';
import type { TextOf } from './row.ts';
import { storedObjectTexts } from './stored-objects.ts';
import { tlsServerTexts } from './tls-servers.ts';

export type { TextClass } from './row.ts';

/** Every text that a check can explain: the cause of a failed call, a rejection, or a text of a component. */
export type KnownText =
  | Symptom
  | CallErrorKind
  | ComponentTextKind
  | DenialReason['kind']
  | 'pod-refused'
  | 'heartbeat-refused'
  | 'several-backends'
  | 'backend-replaced'
  | 'call-cut'
  | 'open-port-not-reached'
  | 'no-endpoints-for-client'
  | 'injected-authority'
  | 'time-of-one-webhook'
  | 'policies-too-slow'
  | 'url-of-loopback'
  | 'webhook-cut-off'
  | 'conversion-unserved'
  | 'said-removed'
  | 'said-starting'
  | 'shown-rollout'
  | 'shown-removal'
  | 'said-firewall'
  | 'said-network-policy'
  | 'said-proxy'
  | 'said-packet-filter'
  | 'said-all-webhooks';

/** Matched in this order: texts of specific components first, then those that several components can write. */
const texts = [
  ...tlsServerTexts,
  ...controlPlaneTexts,
  ...conversionTexts,
  ...certificateWriterTexts,
  ...permissionTexts,
  ...deletionTexts,
  ...storedObjectTexts,
  ...aggregatedApiTexts,
  ...providerTexts,
  ...apiServerRefusalTexts,
  ...apiClientTexts,
  ...processTexts,
  ...leaseTexts,
];

/** The subject of a text that is not the error of a call, but occurs together with one. */
export type ComponentTextKind = (typeof texts)[number]['kind'];
/** A text of a component other than the error of a call. */
export type ComponentText = TextOf<ComponentTextKind>;
/** All of them, in the order in which they are matched. */
export const componentTexts: readonly ComponentText[] = texts;

/** Characters of a line that are searched: the end of a longer one has no known text. */
const longest = 8_192;

/** The first known text of a component in a line, in which a logger may have escaped quotes. */
export function findComponentText(line: string): ComponentText | undefined {
  if (line === '') return undefined;
  const plain = line.slice(0, longest).replaceAll('\\"', '"');
  return componentTexts.find(({ pattern }) => pattern.test(plain));
}
