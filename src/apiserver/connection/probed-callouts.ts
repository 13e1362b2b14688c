import { derive } from '../../basics/derive.ts';
import { type Callout, calloutId } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import type { Facts, World } from '../../facts/snapshot.ts';

/** The facts that checks of probe results require. */
export const probeFacts = [
  'version',
  'callouts',
  'services',
  'endpointSlices',
  'pods',
  'routing',
  'probes',
  'clock',
] as const;

export type ProbeFacts = World<(typeof probeFacts)[number]>;

/** Callouts that were probed, or could not be although that was requested. */
export const probedCallouts = derive(
  ['callouts', 'probes'],
  ({ callouts, probes }: Pick<Facts, 'callouts' | 'probes'>): readonly Callout[] =>
    callouts.filter((callout) => {
      const id = calloutId(callout);
      const why = probes.why(id)?.why;
      return why === undefined ? !probes.isAbsent(id) : why !== 'not-requested';
    }),
);

/** The probes of a callout. Throws NotKnown if it could not be probed. */
export const probesAt = (callout: Callout, { probes }: Pick<Facts, 'probes'>): CalloutProbes | undefined =>
  probes.get(calloutId(callout));
