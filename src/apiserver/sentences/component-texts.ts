import type { CallErrorKind } from './call-error.ts';
import type { Symptom } from './cause-kind.ts';
import { aggregatedApiTexts } from './component-texts/aggregated-apis.ts';
import { apiClientTexts } from './component-texts/api-clients.ts';
import { apiServerRefusalTexts } from './component-texts/api-server-refusals.ts';
import { certificateWriterTexts } from './component-texts/certificate-writers.ts';
import { controlPlaneTexts } from './component-texts/control-plane.ts';
import { conversionTexts } from './component-texts/conversions.ts';
import { deletionTexts } from './component-texts/deletions.ts';
import { leaseTexts } from './component-texts/leases.ts';
import { permissionTexts } from './component-texts/permissions.ts';
import { processTexts } from './component-texts/processes.ts';
import { providerTexts } from './component-texts/providers.ts';
import type { TextOf } from './component-texts/row.ts';
import { storedObjectTexts } from './component-texts/stored-objects.ts';
import { tlsServerTexts } from './component-texts/tls-servers.ts';
import type { DenialReason } from './denial-reasons.ts';

export type { TextClass } from './component-texts/row.ts';

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
  | 'policies-too-slow'
  | 'url-of-loopback'
  | 'conversion-unserved';

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

/** The first known text of a component in a line, in which a logger may have escaped quotes. */
export function findComponentText(line: string): ComponentText | undefined {
  if (line === '') return undefined;
  const plain = line.replaceAll('\\"', '"');
  return componentTexts.find(({ pattern }) => pattern.test(plain));
}
