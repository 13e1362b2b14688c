import { type AdmissionCallout, type Callout, isAdmission, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { agreeing } from '../../phrases/lists.ts';
import { laterVersion } from '../../products/later-version.ts';
import { declarativeOwnerOf } from '../../products/of-metadata.ts';
import { configurationKinds, defineRemedy } from '../remedy.ts';

/** Only webhook configurations are deleted. */
const noConfiguration: Readonly<
  Record<Exclude<Callout, AdmissionCallout>['kind'], (name: string) => string>
> = {
  conversion: (name) =>
    `${name} is a CustomResourceDefinition: deleting it deletes every object of its kind. If the versions differ in name only, set spec.conversion.strategy to None instead.`,
  'aggregated-api': (name) =>
    `${name} is an APIService: reinstall the product, or delete the APIService manually once nothing needs its API.`,
};

export const deleteOrphanedConfiguration = defineRemedy({
  meta: {
    id: 'delete-orphaned-configuration',
    title: 'Delete the configuration of an uninstalled product',
    risk: 'dangerous',
    does: 'Deletes the whole webhook configuration, after you type its name. It is saved first, and undo creates it again.',
    leaves:
      'Other leftovers of the product: its CRDs and roles. If the product is reinstalled, it creates its own configuration.',
    answers: ['orphaned-configuration'],
    touches: [{ operation: 'delete', kinds: configurationKinds }],
  },
  about: 'callout',
  requires: ['callouts', 'services'],
  plan({ callout }, { callouts, services }) {
    const { configuration, kind, metadata } = callout;
    if (!isAdmission(callout)) return noConfiguration[callout.kind](configuration);
    const kept = declarativeOwnerOf(metadata);
    if (kept !== undefined) return `${kept.by} ${kept.source} would create it again: remove it there.`;
    const later = laterVersion(callout, { callouts, services });
    if (later !== undefined) {
      const { version, current, other } = later.data;
      return `${other} of the same product has version ${current}, and ${configuration} has ${version}: delete it manually if the current version does not contain it.`;
    }
    const siblings = callouts.filter((one) => one.kind === kind && one.configuration === configuration);
    const alive = siblings.find(
      (one) => !isServiceBacked(one) || services.get(keyOf(one.client.service)) !== undefined,
    );
    if (alive !== undefined)
      return `Its webhook ${alive.webhook} still has a backend: the configuration is only partly orphaned.`;
    const count = siblings.length;
    return {
      summary: `${callout.ref.kind} ${configuration} is deleted, with its ${agreeing(count, 'webhook', `${count} webhooks`)}`,
      edits: [{ object: { kind: callout.ref.kind, name: configuration }, operation: 'delete' }],
      fixes: [],
      warnings: ['Requests that match its rules are no longer checked or changed.'],
      typed: configuration,
    };
  },
});
