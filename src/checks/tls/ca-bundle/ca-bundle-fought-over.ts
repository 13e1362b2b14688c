import { brief } from '../../../phrases/brief.ts';
import { requestedInjector } from '../../../products/ca-injectors.ts';
import { bundleRestorer, fieldManagers } from '../../../products/field-managers.ts';
import { declarativeOwnerOf } from '../../../products/of-metadata.ts';
import { knownWriters } from '../../../products/writers.ts';
import { verified } from '../../../serving-certificates/chains.ts';
import { declaredBundle } from '../../../serving-certificates/writer/declared-owner.ts';
import { defineCheck } from '../../check.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export const caBundleFoughtOver = defineCheck({
  meta: {
    id: 'ca-bundle-fought-over',
    title: "Two managers overwrite each other's caBundle",
    severity: 'warning',
    why: 'One tool restores a declared caBundle, another injects the current one. Each overwrites the other: the caBundle alternates between right and wrong, and calls fail in between.',
    advice:
      '[end] Leave the field to the injector: remove `caBundle` from the declared manifest, and let the other tool ignore it. [with] Argo CD: `ignoreDifferences` with `RespectIgnoreDifferences=true`. [with] Flux: `kustomize.toolkit.fluxcd.io/ssa: IfNotPresent`, or a patch that drops the field. [look] Then check the managers of the field: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`.',
    noRemedy: { because: 'both managers must agree, and each is configured elsewhere' },
    messages: {
      both: '{restorer} and {injector} both own the caBundle (managedFields)',
      overwritten: '{restorer} owns the caBundle, which {injector} must write',
      declared:
        'The manifest that {restorer} restores declares another caBundle than the one that {injector} writes',
    },
    references: [
      '/docs/reference/using-api/server-side-apply/#conflicts',
      'https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/',
    ],
  },
  requires: ['callouts'],
  subjects: verified,
  run(callout, _facts, find) {
    const owners = [...fieldManagers(callout)]
      .filter(([, fields]) => fields.includes('caBundle'))
      .map(([name]) => name);
    const restorer = bundleRestorer(callout);
    const injector = requestedInjector(callout.metadata)?.injector.name;
    const keeper = declarativeOwnerOf(callout.metadata);
    // A running injector rewrites the field immediately: between two changes it is the only owner.
    if (restorer === undefined) {
      const declared = declaredBundle(callout);
      if (injector === undefined || keeper === undefined || !declared) return undefined;
      if (declared === callout.client.caBundle) return undefined;
      const object = callout.ref;
      return find('declared', { restorer: `${keeper.by} ${keeper.source}`, injector }, [
        { object, field: `metadata.${keeper.field}`, value: keeper.value },
        { object, field: `metadata.annotations["${lastApplied}"]`, value: brief(declared) },
      ]);
    }
    const known = knownWriters(callout).filter(({ fields }) => fields.includes('caBundle'));
    const writing = known.find(({ managers }) => [...managers.keys()].some((name) => owners.includes(name)));
    const evidence = [
      {
        object: callout.ref,
        field: 'metadata.managedFields',
        value: `the caBundle is owned by ${owners.join(', ')}`,
      },
      ...(keeper === undefined
        ? []
        : [{ object: callout.ref, field: `metadata.${keeper.field}`, value: keeper.value }]),
    ];
    if (writing !== undefined) return find('both', { restorer, injector: writing.writer.name }, evidence);
    return injector === undefined ? undefined : find('overwritten', { restorer, injector }, evidence);
  },
});
