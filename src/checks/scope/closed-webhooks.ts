import { type AdmissionCallout, failsOpen, isAdmission } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';

/** Webhooks that stop what they cover while nobody answers. */
export const closedWebhooks = ({ callouts }: Pick<Facts, 'callouts'>): readonly AdmissionCallout[] =>
  callouts.filter(isAdmission).filter((callout) => !failsOpen(callout) && callout.rules.length > 0);
